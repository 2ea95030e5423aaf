import BlurtEngine
import BlurtHotkey
import Testing

extension RigTests {
  /// Lost events, resets, rebinds, pauses.
  @Suite struct RecoveryTests {
    @Test("H-73 H-45 B-10 a release that was lost in an overflow ends the gesture; nothing stays open")
    func lostRelease() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.press()
        try await desk.log.names(1)
        keyboard.lose(EvdevCode.rightControl, isDown: false)
        keyboard.drop()
        #expect(try await desk.log.names(2) == ["start", "keyLost"])
        #expect(!desk.tap.triggerIsHeld)
        keyboard.press()
        #expect(try await desk.log.names(3).last == "start")
      }
    }

    @Test("H-73 H-44 an overflow while the key is held changes nothing; its release still ends it")
    func stillHeld() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        try await desk.log.names(1)
        try await desk.overflow(keyboard)
        keyboard.release(at: time + .seconds(2))
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test("H-73 H-45 an overflow while latched discards the recording")
    func latched() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        keyboard.release(at: time + .milliseconds(100))
        try await desk.log.names(2)
        keyboard.drop()
        try await desk.log.names(3)
        #expect(desk.log.events.last == .discarded(gesture: 1, reason: .eventsLost))
      }
    }

    @Test("H-73 after an overflow of one keyboard the keys of every keyboard are read")
    func everyKeyboard() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        first.press()
        try await desk.log.names(1)
        first.lose(EvdevCode.rightControl, isDown: false)
        second.drop()
        #expect(try await desk.log.names(2) == ["start", "keyLost"])
      }
    }

    @Test("H-73 H-81 a press that was lost in an overflow starts nothing, and its release neither")
    func lostPress() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.lose(EvdevCode.rightControl, isDown: true)
        keyboard.drop()
        try await desk.log.wait(for: "trigger to be held") { desk.tap.triggerIsHeld }
        keyboard.release()
        try await desk.log.wait(for: "trigger to be up") { !desk.tap.triggerIsHeld }
        #expect(desk.log.names == [])
        keyboard.press()
        #expect(try await desk.log.names(1) == ["start"])
      }
    }

    @Test("B-10 five thousand events in a burst that end with the key up leave nothing open")
    func burst() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        for index in 0..<2500 { keyboard.key(EvdevCode.c, index % 2, at: time + .microseconds(index)) }
        keyboard.release(at: time + .milliseconds(3))
        try await desk.log.wait(for: "trigger to be up") { !desk.tap.triggerIsHeld && !desk.log.names.isEmpty }
        #expect(desk.log.names == ["start", "cancel"])
      }
    }

    @Test("H-80 B-23 a resync after a resume finds the key up and closes the gesture as a release")
    func resync() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.press()
        try await desk.log.names(1)
        desk.tap.resync()
        keyboard.lose(EvdevCode.rightControl, isDown: false)
        desk.tap.resync()
        #expect(try await desk.log.names(2) == ["start", "keyLost"])
      }
    }

    @Test("H-80 key events that wait are heard before a resync reads the state")
    func resyncAfterEvents() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold()
        keyboard.press(at: time)
        try await desk.log.names(1)
        keyboard.release(at: time + .seconds(2))
        desk.tap.resync()
        desk.log.letGo()
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test("H-80 B-29 while paused no device is open and the key does nothing; the status says why")
    func pause() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.press()
        try await desk.log.names(1)
        desk.tap.setPause(.seatInactive)
        try await desk.log.wait(for: "pause") { desk.tap.status.pause == .seatInactive }
        #expect(desk.log.events.last == .discarded(gesture: 1, reason: .paused))
        #expect(desk.tap.status.readable == 0 && !desk.tap.status.isReady)
        #expect(desk.tap.status.hint?.contains("session") == true)
        #expect(!desk.tap.modifiersAreHeld)
        keyboard.lose(EvdevCode.rightControl, isDown: false)
        desk.tap.setPause(nil)
        try await desk.log.wait(for: "devices") { desk.tap.status.isReady }
        keyboard.press()
        #expect(try await desk.log.names(3).last == "start")
      }
    }

    @Test("H-47 H-48 H-85 a reset counts before key events that wait, and only for its own gesture")
    func resetBeforePendingEvents() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold()
        keyboard.press(at: time)
        try await desk.log.names(1)
        desk.tap.resetRouter(ifGestureIs: 7)
        desk.tap.resetRouter(ifGestureIs: 1)
        keyboard.release(at: time + .seconds(2))
        keyboard.press(at: time + .seconds(3))
        desk.log.letGo()
        #expect(try await desk.log.names(3) == ["start", "discarded", "start"])
        #expect(desk.log.events.last?.gesture == 2)
      }
    }

    @Test("H-47 H-85 a reset counts even before key events that were read with the one that is being told")
    func resetAmongEvents() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold(from: 1)
        keyboard.press(at: time)
        try await desk.log.names(1)
        keyboard.release(at: time + .milliseconds(100))
        keyboard.press(at: time + .seconds(3))
        keyboard.release(at: time + .seconds(5))
        // The three are read at once; the thread is kept again when it tells of the first.
        desk.log.hold(from: 2)
        try await desk.log.names(2)
        desk.tap.resetRouter(ifGestureIs: 1)
        desk.log.letGo()
        #expect(try await desk.log.names(5) == ["start", "latch", "discarded", "start", "stop"])
      }
    }

    @Test("H-42 H-43 a rebind counts at once, on devices that are open and on those left aside")
    func rebind() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        var description = FakeDevice.Description()
        description.keys = [EvdevCode.rightAlt]
        let small = FakeDevice(in: desk.folder, description)
        try await desk.log.wait(for: "second device") { desk.tap.status.seen == 2 }
        #expect(desk.tap.status.readable == 1)

        keyboard.press()
        try await desk.log.names(1)
        desk.tap.rebind([TriggerKeyActivation(.rightAlt, mode: .hold)])
        try await desk.log.wait(for: "both devices") { desk.tap.status.withTrigger == 2 }
        #expect(desk.log.events.last == .discarded(gesture: 1, reason: .rebound))
        try await desk.deliver(keyboard) { keyboard.release() }
        small.press(EvdevCode.rightAlt)
        try await desk.log.names(3)
        try await desk.deliver(keyboard) { keyboard.press(EvdevCode.rightAlt) }
        try await desk.deliver(small) { small.release(EvdevCode.rightAlt) }
        keyboard.release(EvdevCode.rightAlt)
        #expect(try await desk.log.names(4) == ["start", "discarded", "start", "stop"])

        desk.tap.rebind([TriggerKeyActivation(.rightControl)])
        try await desk.log.wait(for: "the small one to be closed") { desk.tap.status.readable == 1 }
      }
    }
  }
}
