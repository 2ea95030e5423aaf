import BlurtEngine
import BlurtHotkey
import Testing

extension RigTests {
  /// Keys and buttons, times, repeats.
  @Suite struct KeyTests {
    @Test("H-68 H-76 a press and a release arrive with their kernel times")
    func kernelTimes() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now() - .seconds(100)
        keyboard.press(at: time)
        keyboard.release(at: time + .milliseconds(1500))
        try await desk.log.names(2)
        let start = Self.wholeMicroseconds(time)
        #expect(
          desk.log.events == [
            .start(keyCode: 97, gesture: 1, at: start), .stop(gesture: 1, at: start + .milliseconds(1500)),
          ])
      }
    }

    @Test("H-76 a late reader does not turn a tap into a hold, nor a hold into a tap")
    func lateReader() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold()
        keyboard.press(at: time)
        try await desk.log.names(1)
        // The thread is stuck in `start`; all of this is read in one go, long after or long before its time.
        keyboard.release(at: time + .milliseconds(80))
        keyboard.press(at: time + .seconds(60))
        keyboard.release(at: time + .seconds(61))
        keyboard.press(at: time + .seconds(70))
        keyboard.release(at: time + .milliseconds(71_000))
        desk.log.letGo()
        #expect(try await desk.log.names(5) == ["start", "latch", "stop", "start", "stop"])
      }
    }

    @Test("H-76 without the kernel's monotonic clock the time of reading stands in")
    func noClock() async throws {
      try await RigDesk.with { desk in
        var description = FakeDevice.Description()
        description.hasClock = false
        let keyboard = try await desk.plugIn(description)
        let before = FakeDevice.now()
        keyboard.press(at: .seconds(1_700_000_000))
        try await desk.log.names(1)
        guard case .start(_, _, let time)? = desk.log.events.first else { return }
        #expect(time >= before && time <= FakeDevice.now())
      }
    }

    @Test("H-69 H-71 B-15 a key that repeats while held gives one recording")
    func autorepeat() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        for tick in 1...300 { keyboard.key(EvdevCode.rightControl, 2, at: time + .milliseconds(50 * tick)) }
        keyboard.release(at: time + .seconds(16))
        keyboard.press(at: time + .seconds(20))
        #expect(try await desk.log.names(3) == ["start", "stop", "start"])
      }
    }

    @Test("H-70 H-72 another key or a click cancels, wherever it comes from; releases, touches and motion do not")
    func combos() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let second = try await desk.plugIn()
        let mouse = try await desk.plugInMouse()
        for (index, device) in [keyboard, second, mouse].enumerated() {
          keyboard.press()
          try await desk.log.names(2 * index + 1)
          device.key(index == 2 ? EvdevCode.buttonLeft : EvdevCode.c, 1)
          try await desk.log.names(2 * index + 2)
          try await desk.deliver(device) { device.key(index == 2 ? EvdevCode.buttonLeft : EvdevCode.c, 0) }
          try await desk.deliver(keyboard) { keyboard.release() }
        }
        #expect(desk.log.names == ["start", "cancel", "start", "cancel", "start", "cancel"])

        keyboard.press()
        try await desk.log.names(7)
        let click = Self.wholeMicroseconds(FakeDevice.now() + .seconds(1))
        mouse.send(
          [
            (EvdevCode.relative, 0, 5), (EvdevCode.absolute, 0, 5), (EvdevCode.key, EvdevCode.buttonTouch, 1),
            (EvdevCode.key, EvdevCode.buttonToolFinger, 1), (EvdevCode.syn, EvdevCode.report, 0),
          ], at: FakeDevice.now())
        mouse.press(EvdevCode.buttonLeft, at: click)
        try await desk.log.names(8)
        #expect(desk.log.events.last == .cancel(gesture: 4, at: click))
      }
    }

    @Test("H-70 H-76 events of two devices are judged in the order of their times, however late they are read")
    func orderOverDevices() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold()
        first.press(at: time)
        try await desk.log.names(1)
        first.release(at: time + .seconds(2))
        // Ctrl on the first, C on the second: read device by device it would be a tap and a stray key.
        first.press(at: time + .seconds(3))
        first.release(at: time + .seconds(3) + .milliseconds(200))
        second.press(EvdevCode.c, at: time + .seconds(3) + .milliseconds(100))
        desk.log.letGo()
        #expect(try await desk.log.names(4) == ["start", "stop", "start", "cancel"])
      }
    }

    @Test("a device that has more to say than its turn allows is heard to the end")
    func manyTurns() async throws {
      try await RigDesk.with(readLimit: 3) { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        desk.log.hold()
        keyboard.press(at: time)
        try await desk.log.names(1)
        for round in 0..<12 {
          keyboard.release(at: time + .seconds(4 * round + 2))
          keyboard.press(at: time + .seconds(4 * round + 4))
        }
        desk.log.letGo()
        #expect(
          try await desk.log.names(25) == Array(repeating: ["start", "stop"], count: 12).flatMap { $0 } + ["start"])
      }
    }

    @Test("H-74 B-14 two devices press the key: one start, one stop, at the last release")
    func twoDevices() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        let time = Self.wholeMicroseconds(FakeDevice.now())
        first.press(at: time)
        try await desk.log.names(1)
        try await desk.deliver(second) { second.press(at: time + .milliseconds(3)) }
        try await desk.deliver(first) { first.release(at: time + .milliseconds(1500)) }
        second.release(at: time + .milliseconds(1505))
        try await desk.log.names(2)
        first.press(at: time + .seconds(9))
        try await desk.log.names(3)
        #expect(
          desk.log.events == [
            .start(keyCode: 97, gesture: 1, at: time), .stop(gesture: 1, at: time + .milliseconds(1505)),
            .start(keyCode: 97, gesture: 2, at: time + .seconds(9)),
          ])
      }
    }

    @Test(
      "B-11 keyboards made by remappers are listened to", arguments: ["keyd virtual keyboard", "LogiOps Virtual Input"])
    func remappers(name: String) async throws {
      try await RigDesk.with { desk in
        var description = FakeDevice.Description()
        description.name = name
        let keyboard = try await desk.plugIn(description)
        keyboard.press()
        #expect(try await desk.log.names(1) == ["start"])
      }
    }

    @Test("H-81 a key that is held at the start does nothing until it was up")
    func heldAtStart() async throws {
      let folder = RigDesk.newFolder()
      let keyboard = FakeDevice.keyboard(in: folder, held: [EvdevCode.rightControl])
      try await RigDesk.with(folder: folder) { desk in
        #expect(desk.tap.triggerIsHeld)
        keyboard.key(EvdevCode.rightControl, 2)
        keyboard.release()
        let time = FakeDevice.now() + .seconds(1)
        keyboard.press(at: time)
        try await desk.log.names(1)
        #expect(desk.log.events == [.start(keyCode: 97, gesture: 1, at: Self.wholeMicroseconds(time))])
      }
    }

    @Test("modifiers are known to be held; who waits for their release is told at once")
    func modifiers() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        #expect(await desk.tap.waitUntilModifiersReleased())
        first.press(EvdevCode.leftShift)
        second.press()
        try await desk.log.wait(for: "both keys") { desk.tap.modifiersAreHeld && desk.tap.triggerIsHeld }
        async let released = desk.tap.waitUntilModifiersReleased()
        first.release(EvdevCode.leftShift)
        try await desk.log.names(1)
        #expect(desk.tap.modifiersAreHeld)
        second.release()
        #expect(await released)
        #expect(!desk.tap.modifiersAreHeld)

        second.press(EvdevCode.leftShift)
        try await desk.log.wait(for: "shift") { desk.tap.modifiersAreHeld }
        let waiting = Task { await desk.tap.waitUntilModifiersReleased() }
        waiting.cancel()
        #expect(await waiting.value == false)
        // An unplugged keyboard holds nothing.
        async let freed = desk.tap.waitUntilModifiersReleased()
        second.unplug()
        #expect(await freed)
      }
    }

    /// What an input_event can carry.
    private static func wholeMicroseconds(_ time: Duration) -> Duration {
      let (seconds, attoseconds) = time.components
      return .seconds(seconds) + .microseconds(attoseconds / 1_000_000_000_000)
    }
  }
}
