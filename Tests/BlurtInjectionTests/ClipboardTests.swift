import BlurtEngine
import BlurtOS
import BlurtTestSupport
import CX11
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// What the clipboard holds before, during and after a paste: C-47 to C-53, C-72 to C-78, C-97.
  @Suite("clipboard")
  struct ClipboardTests {
    private func focus(_ probe: ProbeWindow) -> CapturedFocus {
      CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
    }

    // MARK: It comes back

    @Test("C-44 C-47 C-49 C-52 B-58 image, HTML and text, 5 MB in all, come back byte for byte")
    func everything() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let offers = [
        "image/png": Noise.bytes(5 << 20), "text/html": Array("<b>old</b>".utf8), "UTF8_STRING": Array("old".utf8),
        "application/x-empty": [],
      ]
      let old = try ForeignOwner(offers)
      defer { quit(probe, peeker, old) }
      let rig = InjectorRig()
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
        for (target, bytes) in offers {
          let value = try #require(await peeker.read(target))
          #expect(value.bytes == bytes, "\(target)")
          #expect(value.type == target)
        }
        #expect(await peeker.owner() != old.window)
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test(
      "B-60 C-74 a foreign owner's large text comes through in pieces, exact",
      arguments: [1_048_575, 1_048_576, 4 << 20])
    func large(_ size: Int) async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let bytes = Noise.bytes(size, asText: true)
      let old = try ForeignOwner(["UTF8_STRING": bytes])
      defer { quit(probe, peeker, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") {
          await peeker.read("UTF8_STRING")?.bytes == bytes
        }
      }
    }

    @Test("C-74 B-60 above the cap the old clipboard is given up with a reason, and our text stays")
    func tooLarge() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(["image/png": Noise.bytes(200_000)])
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshotByteLimit = 100_000 }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(rig.notices.all == [.notRestored(.tooLarge)])
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
        #expect(await peeker.text() == "words")
      }
    }

    @Test("C-52 where only the text could be read in time, the text comes back")
    func partial() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(["UTF8_STRING": Array("old".utf8), "image/png": Noise.bytes(200_000)])
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshotByteLimit = 100_000 }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old text comes back") { await peeker.text() == "old" }
      }
    }

    @Test(
      "C-50 C-74 an owner that does not answer is unknown, not empty: our text stays",
      arguments: [ForeignOwner.Manner.silent, .silentAfterTargets])
    func silent(_ manner: ForeignOwner.Manner) async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old", manner: manner)
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .milliseconds(50) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(rig.notices.all == [.notRestored(.ownerSilent)])
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
        #expect(await peeker.text() == "words")
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
      }
    }

    @Test("C-51 a clipboard that was empty is empty again")
    func emptied() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      await peeker.run { _ = XSetSelectionOwner(peeker.display, peeker.atom("CLIPBOARD"), 0, 0) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("nobody owns the clipboard") { await peeker.owner() == 0 }
      }
    }

    @Test("C-49 C-50 what the user copies while the old clipboard is being read is what comes back")
    func copiedWhileReading() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old", manner: .silent)
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .milliseconds(200) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        async let insert: Void = injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the old clipboard is asked for") { !old.asked.isEmpty }
        let newer = try ForeignOwner(text: "newer")
        try await insert
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the newer text comes back") { await peeker.text() == "newer" }
        #expect(await peeker.owner() != newer.window)
        newer.quit()
      }
    }

    @Test("C-49 C-73 C-97 what the user copies meanwhile stays, and the saved contents are dropped")
    func copiedMeanwhile() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      try await InjectorRig().use { injector in
        probe.plan.reads = []
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        let newer = try ForeignOwner(text: "newer")
        try await eventually("the loss is noticed") { await injector.connection.settling == nil }
        #expect(await !injector.connection.isClipboardHeld)
        #expect(await peeker.text() == "newer")
        newer.quit()
      }
    }

    @Test("B-63 only what is listed is asked for, and no meta target")
    func listedOnly() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old", manner: .answersEverything)
      defer { quit(probe, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
      }
      #expect(old.asked.sorted() == ["STRING", "TARGETS", "UTF8_STRING"])
    }

    @Test("C-52 an owner that knows no list of targets is asked for text")
    func noList() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old", manner: .withoutTargets)
      defer { quit(probe, peeker, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old text comes back") { await peeker.text() == "old" }
      }
    }

    // MARK: By receipt

    @Test("C-48 B-54 a target that reads late gets the transcript, and success does not wait for it")
    func late() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = [.milliseconds(300)]  // 1.5 s at the scale of these timings
      let rig = InjectorRig()
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(probe.pasted.isEmpty)
        #expect(rig.unread.value == [true])
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the receipt is told") { rig.unread.value == [true, false] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("B-55 a target that reads twice gets the transcript twice")
    func twice() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = [.zero, .milliseconds(150)]
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.quietAfterRead = .milliseconds(600) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("both reads are answered") { probe.pasted == ["words", "words"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test("B-55 a target that never reads: the old clipboard comes back at the cap, with a notice")
    func never() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.neverRead = .milliseconds(200) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the notice comes") { [notices = rig.notices] in notices.all == [.neverRead] }
        #expect(await peeker.text() == "old")
        #expect(rig.unread.value == [true, false])
      }
    }

    @Test("a stop before the target has read the text is no receipt, though the old clipboard comes back")
    func stopUnread() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, old) }
      probe.plan.reads = []
      let rig = InjectorRig()
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        injector.stop()
        #expect(rig.unread.value == [true])
      }
    }

    @Test("a clipboard manager that reads at once does not make the old clipboard come back before the target has read")
    func manager() async throws {
      let probe = try await ProbeWindow().shown()
      let manager = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, manager, old) }
      probe.plan.reads = [.milliseconds(400)]
      let rig = InjectorRig()
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(await manager.text() == "words")
        // Far past the floor and the quiet time since the manager's read.
        try await eventually("the target's text arrives") { !probe.pasted.isEmpty }
        #expect(probe.pasted == ["words"])
        try await eventually("the old clipboard comes back") { await manager.text() == "old" }
      }
      #expect(rig.notices.all.isEmpty)
    }

    // MARK: One after the other

    @Test("C-35 B-62 the second insert waits for the first to be read, and saves the old clipboard, not our own text")
    func serial() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = [.milliseconds(100)]
      let rig = InjectorRig()
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("one", after: nil, windowTitle: nil)
        try await injector.insert("two", after: nil, windowTitle: nil)
        try await injector.insert("three", after: nil, windowTitle: nil)
        try await eventually("each arrives, in order") { probe.pasted == ["one", "two", "three"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
      #expect(old.asked.count { $0 == "TARGETS" } == 1)
      #expect(rig.notices.all.isEmpty)
    }

    @Test(
      "C-35 a target that never reads holds the next insert up for a bounded time only, and the old clipboard is carried over"
    )
    func takeover() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with {
        $0.takeover = .milliseconds(60)
        $0.neverRead = .seconds(60)
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("one", after: nil, windowTitle: nil)
        try await eventually("the first keys have come") { probe.strokes.count == 1 }
        probe.plan.reads = [.zero]
        try await injector.insert("two", after: nil, windowTitle: nil)
        try await eventually("the second arrives") { probe.pasted == ["two"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
      #expect(rig.notices.all == [.supersededUnread])
    }

    @Test("C-35 an insert that is cancelled while it stands in line lets the next one through")
    func cancelledInLine() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      let gate = Gate()
      var rig = InjectorRig()
      rig.waitForModifiersReleased = { _ in
        await gate.pass()
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let first = Task { try await injector.insert("one", after: nil, windowTitle: nil) }
        await gate.waitUntilReached()
        let second = Task { try await injector.insert("two", after: nil, windowTitle: nil) }
        try await eventually("the second stands in line") { await injector.connection.nextTicket == 2 }
        let third = Task { try await injector.insert("three", after: nil, windowTitle: nil) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        try await first.value
        try await third.value
        try await eventually("both arrive") { probe.pasted == ["one", "three"] }
      }
    }

    @Test("C-53 B-62 a text left for the user is what comes back after the next paste")
    func leftIsOld() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      try await InjectorRig().use { injector in
        injector.setTarget(CapturedFocus(processID: 0, name: "gone", windowID: 1))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("left", after: nil, windowTitle: nil)
        }
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the left text comes back") { await peeker.text() == "left" }
      }
    }

    // MARK: What is served

    @Test("C-72 C-76 the text is offered in every form that ICCCM and the desktops know")
    func targets() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      probe.plan.reads = []
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("Grüße 漢", after: nil, windowTitle: nil)
        #expect(
          await Set(peeker.targets()) == [
            "TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT",
            "STRING",
            "x-kde-passwordManagerHint",
          ])
        let utf8 = Array("Grüße 漢".utf8)
        let expected: [(String, String, [UInt8])] = [
          ("UTF8_STRING", "UTF8_STRING", utf8), ("text/plain", "text/plain", utf8), ("TEXT", "UTF8_STRING", utf8),
          ("text/plain;charset=utf-8", "text/plain;charset=utf-8", utf8),
          ("STRING", "STRING", [0x47, 0x72, 0xfc, 0xdf, 0x65, 0x20, 0x3f]),
          ("x-kde-passwordManagerHint", "x-kde-passwordManagerHint", Array("secret".utf8)),
        ]
        for (target, type, bytes) in expected {
          #expect(await peeker.read(target) == XProgram.Value(type: type, format: 8, bytes: bytes), "\(target)")
        }
        let timestamp = try #require(await peeker.read("TIMESTAMP"))
        #expect(timestamp.type == "INTEGER" && timestamp.words.count == 1)
        // A real time of the server: a request from before it was meant for another owner.
        let time = Time(try #require(timestamp.words.first))
        #expect(time != 0)
        #expect(await peeker.read("UTF8_STRING", at: time)?.bytes == utf8)
        #expect(await peeker.read("UTF8_STRING", at: time - 1) == nil)
        #expect(await peeker.read("image/png") == nil)
      }
    }

    @Test("C-72 MULTIPLE answers each pair and marks the ones it cannot")
    func multiple() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      probe.plan.reads = []
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        let answer = await peeker.readMultiple(["UTF8_STRING", "image/png", "MULTIPLE", "STRING"])
        #expect(answer == ["words", nil, nil, "words"])
      }
    }

    @Test(
      "C-72 B-60 B-76 a large text goes out in pieces, exact", arguments: [100_000, 262_144, 262_145, 1 << 20, 4 << 20])
    func outgoing(_ size: Int) async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let text = Noise.text(size)
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        try await eventually("the text arrives whole") { probe.pasted == [text] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test("C-72 a reader that dies in the middle of a large text holds nothing up")
    func deadReader() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      let victim = try Peeker()
      defer { quit(probe, peeker, old) }
      let text = String(repeating: "x", count: 1 << 20)
      probe.plan.reads = [.milliseconds(100)]
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        // Asks, and is gone before it could take the first piece; then a request in the name of a dead window.
        victim.perform {
          for target in ["UTF8_STRING", "TARGETS", "STRING"] {
            XConvertSelection(
              victim.display, victim.atom("CLIPBOARD"), victim.atom(target), victim.atom("X"), victim.window, 0)
          }
          XDestroyWindow(victim.display, victim.window)
        }
        victim.quit()
        try await eventually("the target's text arrives whole") { probe.pasted == [text] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test("C-48 a target that stops in the middle of a large text is given up, and does not count as having read")
    func stalledReader() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, old) }
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with {
        $0.transferStall = .milliseconds(60)
        $0.neverRead = .milliseconds(120)
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(String(repeating: "x", count: 1 << 20), after: nil, windowTitle: nil)
        await probe.run {
          _ = XConvertSelection(
            probe.display, probe.atom("CLIPBOARD"), probe.atom("UTF8_STRING"), probe.atom("STALLED"), probe.window, 0)
        }
        try await eventually("the notice comes") { [notices = rig.notices] in notices.all == [.neverRead] }
      }
    }

    @Test("C-76 B-66 B-67 histories are asked to look away only while the text is passing through")
    func hint() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = [.milliseconds(200)]
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(await peeker.targets().contains("x-kde-passwordManagerHint"))
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
        // The second pass: what comes back was in the history before.
        #expect(await peeker.targets().contains("x-kde-passwordManagerHint"))
        injector.setTarget(CapturedFocus(processID: 0, name: "gone", windowID: 1))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("left", after: nil, windowTitle: nil)
        }
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
      }
    }

    // MARK: At the end

    @Test("C-78 B-64 at exit a text left for the user is handed to the clipboard manager")
    func handover() async throws {
      let peeker = try Peeker()
      let manager = try ClipboardManager()
      defer { quit(peeker, manager) }
      try await InjectorRig().use { injector in
        injector.setTarget(CapturedFocus(processID: 0, name: "gone", windowID: 1))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("left", after: nil, windowTitle: nil)
        }
      }
      #expect(await peeker.text() == "left")
      #expect(await peeker.owner() == manager.window)
    }

    @Test("C-78 at exit in mid-paste the old clipboard comes back first")
    func exitWhileSettling() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let manager = try ClipboardManager()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, manager, old) }
      probe.plan.reads = []
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
      }
      #expect(await peeker.text() == "old")
    }

    @Test("C-78 without a clipboard manager the exit does not wait, and nobody owns the clipboard")
    func exitAlone() async throws {
      let peeker = try Peeker()
      defer { peeker.quit() }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.handover = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(CapturedFocus(processID: 0, name: "gone", windowID: 1))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("left", after: nil, windowTitle: nil)
        }
      }
      #expect(await peeker.owner() == 0)
    }

    @Test("an insert after stop is refused, and one that waits is let go")
    func afterStop() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.takeover = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("one", after: nil, windowTitle: nil)
        let waiting = Task { try await injector.insert("two", after: nil, windowTitle: nil) }
        try await eventually("the second stands in line") { await injector.connection.nextTicket == 2 }
        injector.stop()
        await #expect(throws: BlurtError.accessibilityPermissionMissing) { try await waiting.value }
        await #expect(throws: BlurtError.accessibilityPermissionMissing) {
          try await injector.insert("three", after: nil, windowTitle: nil)
        }
        #expect(await injector.focus.frontmost() == nil)
      }
    }
  }
}
