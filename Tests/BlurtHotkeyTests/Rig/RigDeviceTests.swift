import BlurtEngine
import BlurtHotkey
import BlurtOS
import BlurtTestSupport
import Glibc
import Synchronization
import Testing

extension RigTests {
  /// Devices that come, go, and may not be read.
  @Suite struct DeviceTests {
    @Test("H-75 B-08 a keyboard unplugged with the key held ends the gesture as a release; others go on working")
    func unpluggedWhileHeld() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        first.press()
        try await desk.log.names(1)
        first.unplug()
        try await desk.log.names(2)
        #expect(desk.log.events.last == .keyLost(gesture: 1))
        #expect(desk.log.events.last?.command == .release)
        second.press()
        #expect(try await desk.log.names(3).last == "start")
      }
    }

    @Test("H-75 B-08 the key-up that the kernel makes while unplugging does not latch the recording")
    func releasedByUnplugging() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        // Times ahead of the clock, so that a slow machine is within the window as well.
        let time = FakeDevice.now() + .seconds(5)
        keyboard.press(at: time)
        keyboard.release(at: time + .milliseconds(300))
        try await desk.log.names(2)
        keyboard.unplug()
        #expect(try await desk.log.names(3) == ["start", "latch", "keyLost"])
      }
    }

    @Test("H-75 the gesture goes on while another keyboard holds the key")
    func heldElsewhere() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        let time = FakeDevice.now()
        first.press(at: time)
        try await desk.log.names(1)
        try await desk.deliver(second) { second.press(at: time + .milliseconds(1)) }
        first.unplug()
        try await desk.log.wait(for: "unplugging") { desk.tap.status.readable == 1 }
        second.release(at: time + .seconds(2))
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test("B-01 a keyboard that comes and goes while the key is held elsewhere neither ends nor prolongs the gesture")
    func passingDevice() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        try await desk.log.names(1)
        let passing = try await desk.plugIn()
        passing.unplug()
        try await desk.log.wait(for: "unplugging") { desk.tap.status.readable == 1 }
        #expect(desk.log.names == ["start"])
        keyboard.release(at: time + .seconds(2))
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test("B-05 an unplugged device is closed at once: no wake-ups follow")
    func noSpinning() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.unplug()
        try await desk.log.wait(for: "unplugging") { desk.tap.status.readable == 0 && desk.tap.status.seen == 0 }
        let before = desk.tap.wakeUpCount
        // Only time can show that nothing happens: a dead descriptor would wake the thread thousands of times here.
        try await Task.sleep(for: .milliseconds(200))
        #expect(desk.tap.wakeUpCount - before <= 1)
      }
    }

    @Test("B-28 an idle hotkey never wakes up")
    func idle() async throws {
      try await RigDesk.with { desk in
        _ = try await desk.plugIn()
        _ = try await desk.plugInMouse()
        let before = desk.tap.wakeUpCount
        try await Task.sleep(for: .milliseconds(200))
        #expect(desk.tap.wakeUpCount == before)
      }
    }

    @Test("H-77 B-06 B-03 a keyboard plugged in later works, ten times over")
    func hotplug() async throws {
      try await RigDesk.with { desk in
        for round in 1...10 {
          let keyboard = try await desk.plugIn()
          keyboard.press(at: .seconds(round))
          keyboard.release(at: .seconds(round) + .milliseconds(1200))
          try await desk.log.names(2 * round)
          keyboard.unplug()
          try await desk.log.wait(for: "unplugging") { desk.tap.status.seen == 0 }
        }
        #expect(desk.log.names == Array(repeating: ["start", "stop"], count: 10).flatMap { $0 })
      }
    }

    @Test("H-77 a machine whose folder of input devices comes later is listened to as well")
    func noFolderAtFirst() async throws {
      try await RigDesk.with { desk in
        #expect(desk.tap.status.hasScanned && desk.tap.status.seen == 0)
        let keyboard = try await desk.plugIn()
        keyboard.press()
        #expect(try await desk.log.names(1) == ["start"])
      }
    }

    @Test("H-77 a device without the trigger and without buttons is not kept open")
    func irrelevantDevice() async throws {
      try await RigDesk.with { desk in
        var description = FakeDevice.Description()
        description.name = "Rig power button"
        description.keys = [116]
        _ = FakeDevice(in: desk.folder, description)
        try await desk.log.wait(for: "device to be seen") { desk.tap.status.seen == 1 }
        #expect(desk.tap.status.readable == 0)
        #expect(desk.tap.status.hint?.contains("KEY_RIGHTCTRL") == true)
      }
    }

    @Test("B-22 a consumer control is taken for its one trigger key")
    func consumerControl() async throws {
      let dictate = try #require(TriggerKey("KEY_DICTATE"))
      try await RigDesk.with([TriggerKeyActivation(dictate)]) { desk in
        var description = FakeDevice.Description()
        description.keys = [114, 115, dictate.code]
        let control = try await desk.plugIn(description)
        control.press(dictate.code)
        try await desk.log.names(1)
        #expect(desk.log.events.first?.command == .press(key: dictate.code))
      }
    }

    @Test("H-78 a virtual keyboard of our own is left alone, by its name and by its path")
    func ownDevice() async throws {
      try await RigDesk.with { desk in
        var byName = FakeDevice.Description()
        byName.name = EvdevDevice.ownName
        var byPath = FakeDevice.Description()
        byPath.physicalPath = EvdevDevice.ownPathPrefix + "1234"
        let ours = [FakeDevice(in: desk.folder, byName), FakeDevice(in: desk.folder, byPath)]
        try await desk.log.wait(for: "devices to be seen") { desk.tap.status.seen == 2 }
        #expect(desk.tap.status.readable == 0)
        for device in ours { device.press() }
        let keyboard = try await desk.plugIn()
        let time = FakeDevice.now()
        keyboard.press(at: time)
        keyboard.release(at: time + .seconds(2))
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test("H-79 H-77 a device that may not be read yet is reported, and opened once its permissions change")
    func latePermissions() async throws {
      let mayRead = Atomic(false)
      let opener: DictationKeyTap.Opener = { path throws(Errno) in
        guard mayRead.load(ordering: .relaxed) else { throw Errno(EACCES, call: "open \(path)") }
        return try DictationKeyTap.open(path)
      }
      try await RigDesk.with(opener: opener) { desk in
        let keyboard = FakeDevice.keyboard(in: desk.folder)
        try await desk.log.wait(for: "refusal") { desk.tap.status.denied == 1 }
        #expect(desk.tap.status.hint?.contains("70-blurt-uaccess.rules") == true)
        mayRead.store(true, ordering: .relaxed)
        keyboard.touch()
        try await desk.log.wait(for: "device to be opened") { desk.tap.status.isReady }
        #expect(desk.tap.status.hint == nil && desk.tap.status.denied == 0)
        keyboard.press()
        #expect(try await desk.log.names(1) == ["start"])
      }
    }

    @Test("H-50 B-13 a whole session grabs nothing, writes nothing, and sets only the clock and the masks")
    func listensOnly() async throws {
      try await RigDesk.with { desk in
        let keyboard = try await desk.plugIn()
        keyboard.press()
        try await desk.log.names(1)
        try await desk.overflow(keyboard)
        keyboard.release()
        try await desk.log.names(2)
        desk.tap.resync()
        desk.tap.rebind([TriggerKeyActivation(.rightAlt)])
        try await desk.log.wait(for: "rebind") { desk.tap.status.triggers == ["KEY_RIGHTALT"] }
        // 0x93 EVIOCSMASK and 0xa0 EVIOCSCLOCKID concern our descriptor alone; 0x90 would be the grab.
        let settingRequests = Set(keyboard.requests.filter { $0 >= 0x80 })
        #expect(settingRequests == [0x93, 0xa0])
      }
    }

    @Test("H-72 H-77 the kernel is asked to deliver keys and clicks alone")
    func masks() async throws {
      try await RigDesk.with { desk in
        let mouse = try await desk.plugInMouse()
        let types = try #require(mouse.masks[0])
        #expect(types == [0b11, 0, 0, 0, 0, 0, 0, 0])
        let codes = try #require(mouse.masks[1])
        #expect(codes == KeyEventFilter.wantedCodes(boundKeys: [EvdevCode.rightControl]).bytes)
      }
    }

    @Test("H-72 H-77 a kernel that knows no masks delivers everything; it is filtered here all the same")
    func noMasks() async throws {
      try await RigDesk.with { desk in
        var description = FakeDevice.Description()
        description.hasMasks = false
        let keyboard = try await desk.plugIn(description)
        let time = FakeDevice.now()
        keyboard.press(at: time)
        try await desk.log.names(1)
        try await desk.deliver(keyboard) {
          keyboard.send(
            [
              (EvdevCode.relative, 0, 5), (EvdevCode.key, EvdevCode.buttonTouch, 1),
              (EvdevCode.syn, EvdevCode.report, 0),
            ], at: time + .seconds(1))
        }
        keyboard.release(at: time + .seconds(2))
        #expect(try await desk.log.names(2) == ["start", "stop"])
      }
    }

    @Test(
      "B-29 B-30 a keyboard that may not be read any more is closed, and what was begun is kept")
    func permissionWithdrawn() async throws {
      let mayRead = Atomic(true)
      let opener: DictationKeyTap.Opener = { path throws(Errno) in
        guard mayRead.load(ordering: .relaxed) else { throw Errno(EACCES, call: "open \(path)") }
        return try DictationKeyTap.open(path)
      }
      let permission: DictationKeyTap.Permission = { _ in mayRead.load(ordering: .relaxed) }
      try await RigDesk.with(opener: opener, mayRead: permission) { desk in
        let keyboard = try await desk.plugIn()
        keyboard.press()
        try await desk.log.names(1)
        // A change that takes nothing away changes nothing.
        keyboard.touch()
        mayRead.store(false, ordering: .relaxed)
        keyboard.touch()
        try await desk.log.names(2)
        #expect(desk.log.events.last == .discarded(gesture: 1, reason: .accessLost))
        #expect(desk.log.events.last?.command == .cancelRecording)
        try await desk.log.wait(for: "closing") { desk.tap.status.denied == 1 }
        #expect(desk.tap.status.readable == 0 && !desk.tap.status.isReady)
        #expect(desk.tap.status.deniedKeyboards == [.init(node: keyboard.fileName, name: "Rig keyboard")])
      }
    }

    @Test("B-12 a keyboard whose keys change while another one speaks for it is known to be held by somebody else")
    func grabbed() async throws {
      try await RigDesk.with { desk in
        let physical = try await desk.plugIn()
        var description = FakeDevice.Description()
        description.name = "keyd virtual keyboard"
        let virtual = try await desk.plugIn(description)
        let time = FakeDevice.now()
        // The remapper has the physical one's events; its state is all that is left of it. A slow machine may look at that
        // only when the key is up again, so it is pressed until it was seen.
        var presses = 0
        var isSeen = false
        while !isSeen, presses < 20 {
          let at = time + .seconds(4 * presses)
          physical.lose(EvdevCode.rightControl, isDown: true)
          virtual.press(at: at)
          try await desk.log.names(2 * presses + 1)
          physical.lose(EvdevCode.rightControl, isDown: false)
          virtual.release(at: at + .seconds(2))
          presses += 1
          #expect(try await desk.log.names(2 * presses).suffix(2) == ["start", "stop"])
          isSeen = await eventually(within: .milliseconds(500)) { desk.tap.status.silencedKeyboards.count == 1 }
        }
        #expect(desk.tap.status.silencedKeyboards == [.init(node: physical.fileName, name: "Rig keyboard")])
        #expect(desk.tap.status.withTrigger == 1 && desk.tap.status.isReady)

        // Let go by the remapper, it is heard again.
        physical.press(at: time + .seconds(4 * presses + 10))
        try await desk.log.names(2 * presses + 1)
        try await desk.log.wait(for: "judgement") { desk.tap.status.silencedKeyboards.isEmpty }
        #expect(desk.tap.status.withTrigger == 2)
      }
    }

    @Test("B-12 H-74 H-81 a key that was down on a keyboard held by somebody else cannot hold a gesture open for ever")
    func grabbedWhileDown() async throws {
      try await RigDesk.with { desk in
        let virtual = try await desk.plugIn()
        var description = FakeDevice.Description()
        description.held = [EvdevCode.rightControl]
        let physical = try await desk.plugIn(description)
        // Its key goes up unheard; then the remapper's own keyboard does what it wants.
        physical.lose(EvdevCode.rightControl, isDown: false)
        let time = FakeDevice.now()
        virtual.press(at: time)
        virtual.release(at: time + .seconds(2))
        virtual.press(at: time + .seconds(5))
        virtual.release(at: time + .seconds(7))
        try await desk.log.names(2)
        #expect(desk.log.names.suffix(2) == ["start", "stop"])
        try await desk.log.wait(for: "release") { !desk.tap.triggerIsHeld }
      }
    }

    @Test("B-12 B-14 a second keyboard that rests, or is pressed as well, is not taken for one that is held")
    func notGrabbed() async throws {
      try await RigDesk.with { desk in
        let first = try await desk.plugIn()
        let second = try await desk.plugIn()
        let time = FakeDevice.now()
        for round in 0..<5 {
          let start = time + .seconds(10 * round)
          try await desk.deliver(first) { first.press(at: start) }
          try await desk.deliver(second) { second.press(at: start + .milliseconds(3)) }
          try await desk.deliver(first) { first.release(at: start + .seconds(2)) }
          second.release(at: start + .milliseconds(2005))
          try await desk.log.names(2 * round + 2)
        }
        #expect(desk.log.names == Array(repeating: ["start", "stop"], count: 5).flatMap { $0 })
        #expect(desk.tap.status.silencedKeyboards.isEmpty && desk.tap.status.withTrigger == 2)
      }
    }

    @Test("H-77 two hundred nodes: each keyboard is heard, and all of them gone leave nothing behind")
    func manyNodes() async throws {
      try await RigDesk.with { desk in
        var devices: [FakeDevice] = []
        for number in 0..<200 {
          var description = FakeDevice.Description()
          // Mostly lids and buttons, as on a real machine.
          if number % 10 != 0 { description.keys = [116] }
          devices.append(FakeDevice(in: desk.folder, description))
        }
        try await desk.log.wait(for: "all of them") { desk.tap.status.seen == 200 && desk.tap.status.readable == 20 }
        let time = FakeDevice.now()
        for (round, number) in [0, 100, 190].enumerated() {
          devices[number].press(at: time + .seconds(10 * round))
          devices[number].release(at: time + .seconds(10 * round + 2))
          try await desk.log.names(2 * round + 2)
        }
        #expect(desk.log.names == Array(repeating: ["start", "stop"], count: 3).flatMap { $0 })
        let before = desk.tap.wakeUpCount
        try await Task.sleep(for: .milliseconds(200))
        #expect(desk.tap.wakeUpCount == before)
        for device in devices { device.unplug() }
        try await desk.log.wait(for: "their end") { desk.tap.status.seen == 0 && desk.tap.status.readable == 0 }
      }
    }
  }
}
