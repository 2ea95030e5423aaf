import BlurtEngine
import BlurtOS
import BlurtTestSupport
import CX11
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// Owners and readers that do what no well-behaved program does, and programs that copy at the worst moment.
  @Suite("hostile clipboard")
  struct HostileClipboardTests {
    private func focus(_ probe: ProbeWindow) -> CapturedFocus {
      CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
    }

    /// The daemon still pastes, and the clipboard comes back.
    private func works(_ injector: KeyInjector, _ probe: ProbeWindow, _ peeker: Peeker) async throws {
      probe.forget()
      probe.plan.reads = [.zero]
      let old = try ForeignOwner(text: "still here")
      defer { old.quit() }
      injector.setTarget(focus(probe))
      try await injector.insert("goes on", after: nil, windowTitle: nil)
      try await eventually("the text arrives") { probe.pasted == ["goes on"] }
      try await eventually("the old clipboard comes back") { await peeker.text() == "still here" }
    }

    /// Reads a property in pieces, as a reader of INCR does, however slowly.
    private func pieces(_ reader: Peeker, _ property: String) async throws -> [UInt8] {
      let all = Box<[UInt8]>([])
      let isThrough = Box(false)
      try await eventually(within: .seconds(60), "all pieces have come") {
        let piece = await reader.run { reader.take(reader.window, reader.atom(property)) }
        guard let piece else { return false }
        if piece.bytes.isEmpty { isThrough.update { $0 = true } }
        all.update { $0 += piece.bytes }
        return isThrough.value
      }
      return all.value
    }

    private func ask(_ reader: Peeker, _ target: String, _ property: String) async {
      await reader.run {
        _ = XConvertSelection(
          reader.display, reader.atom("CLIPBOARD"), reader.atom(target), reader.atom(property), reader.window, 0)
      }
    }

    // MARK: Owners

    @Test(
      "C-74 B-60 64 MiB of a foreign owner are read in pieces and served in pieces, exact",
      .disabled(if: Sanitizer.isOn, "a sanitizer looks at each byte several times; smaller transfers show it the same"))
    func largest() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      // Beside the text, exactly what the limit allows.
      let bytes = Noise.bytes(64 << 20 - 3)
      let old = try ForeignOwner(["UTF8_STRING": Array("old".utf8), "image/png": bytes])
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
        let served = try #require(await peeker.read("image/png"))
        #expect(served.bytes.count == bytes.count)
        #expect(memcmp(served.bytes, bytes, bytes.count) == 0)
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-74 an owner that hangs costs its deadline once: all targets are asked for side by side")
    func hangs() async throws {
      let probe = try await ProbeWindow().shown()
      let names = (0..<40).map { "application/x-\($0)" }
      let old = try ForeignOwner(
        Dictionary(uniqueKeysWithValues: names.map { ($0, [1]) }), manner: .silentAfterTargets)
      defer { quit(probe, old) }
      var rig = InjectorRig()
      // No target is answered, so that one after the other would be asked for at the deadline of the one before.
      rig.timing = .quick.with { $0.snapshot = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        try await eventually("all are asked for") { old.asked.count == 1 + names.count }
        insert.cancel()
        await #expect(throws: CancellationError.self) { try await insert.value }
      }
      #expect(Set(old.asked) == Set(names + ["TARGETS"]))
    }

    @Test("C-52 a picture that the owner does not come up with costs the picture alone")
    func hangsOnPicture() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(
        ["image/png": [1], "UTF8_STRING": Array("old".utf8), "text/html": Array("<b>old</b>".utf8)],
        manner: .silentOn(["image/png"]))
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .milliseconds(200) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old text comes back") { await peeker.text() == "old" }
        #expect(await peeker.targets().contains("text/html"))
        #expect(await !peeker.targets().contains("image/png"))
      }
      // What matters most is asked for first.
      #expect(old.asked.prefix(2) == ["TARGETS", "UTF8_STRING"])
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-52 B-58 where no text is on offer, the picture that came is kept though another format of it did not come")
    func pictureInOneFormat() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let png = Noise.bytes(300_000)
      let old = try ForeignOwner(["image/bmp": [1], "image/png": png], manner: .silentOn(["image/bmp"]))
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .seconds(1) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the picture comes back") { await peeker.read("image/png")?.bytes == png }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test(
      "C-50 C-74 what is over the limit is not fetched, whether it says so or not, and our text stays",
      arguments: [ForeignOwner.Manner.inOnePiece, .endless])
    func overTheLimit(_ manner: ForeignOwner.Manner) async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(["image/png": Noise.bytes(manner == .endless ? 200_000 : 1 << 20)], manner: manner)
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshotByteLimit = 500_000 }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(rig.notices.all == [.notRestored(.tooLarge)])
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
        #expect(await peeker.text() == "words")
        try await works(injector, probe, peeker)
      }
    }

    @Test(
      "C-52 what is over the limit takes the text beside it nothing",
      arguments: [ForeignOwner.Manner.inOnePiece, .endless])
    func overTheLimitBesideText(_ manner: ForeignOwner.Manner) async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(
        ["image/png": Noise.bytes(200_000), "UTF8_STRING": Array("old".utf8), "zzz": Array("last".utf8)], manner: manner
      )
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshotByteLimit = 190_000 }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old text comes back") { await peeker.text() == "old" }
        #expect(await peeker.read("zzz")?.text == "last")
      }
    }

    @Test("C-50 an owner that stops in the middle of its pieces is unknown, not empty")
    func stalls() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(["UTF8_STRING": Noise.bytes(1 << 20, asText: true)], manner: .stallsInPieces)
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .milliseconds(200) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(rig.notices.all == [.notRestored(.ownerSilent)])
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
        #expect(await peeker.text() == "words")
        rig.notices.forget()
        try await works(injector, probe, peeker)
      }
    }

    @Test("C-74 an owner that names thousands of targets is asked for a bounded number of them, the text first")
    func thousands() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      var offers = Dictionary(uniqueKeysWithValues: (0..<1500).map { ("application/x-\($0)", [UInt8(1)]) })
      offers["UTF8_STRING"] = Array("old".utf8)
      let old = try ForeignOwner(offers)
      defer { quit(probe, peeker, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old text comes back") { await peeker.text() == "old" }
      }
      #expect(old.asked.count == 1 + SelectionReader.targetLimit)
    }

    @Test("C-50 what a slow owner sends at last is not taken for what its successor was asked")
    func lateAnswers() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let slow = try ForeignOwner(text: "slow", manner: .heldBack)
      defer { quit(probe, peeker, slow) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .milliseconds(100) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        let next = try ForeignOwner(text: "next", manner: .heldBack)
        defer { next.quit() }
        let asked = next.asked.count
        async let insert: Void = injector.insert("more", after: nil, windowTitle: nil)
        try await eventually("the next owner is asked") { next.asked.count >= asked + 3 }
        await slow.letGo()
        await next.letGo()
        try await insert
        try await eventually("the text arrives") { probe.pasted == ["words", "more"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
        // Where the deadline came first, our own text stays. The slow owner's text never comes.
        let text = await peeker.text()
        #expect(text == "next" || text == "more")
      }
    }

    // MARK: Readers

    @Test("several readers at once, each at its own pace, all get the whole text; the target counts")
    func many() async throws {
      let probe = try await ProbeWindow().shown()
      let readers = try (0..<6).map { _ in try Peeker() }
      let old = try ForeignOwner(text: "old")
      defer {
        quit(probe, old)
        for reader in readers { reader.quit() }
      }
      let text = Noise.text(1 << 20)
      probe.plan.reads = [.milliseconds(50)]
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.transferStall = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        for reader in readers { await ask(reader, "UTF8_STRING", "SLOWLY") }
        for reader in readers {
          try await eventually("it is announced") {
            await reader.run { reader.take(reader.window, reader.atom("SLOWLY"))?.type == "INCR" }
          }
        }
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
          for reader in readers { group.addTask { try await pieces(reader, "SLOWLY") } }
          for try await bytes in group { #expect(String(decoding: bytes, as: UTF8.self) == text) }
        }
        try await eventually("the target's text arrives whole") { probe.pasted == [text] }
        try await eventually("the old clipboard comes back") { await readers[0].text() == "old" }
      }
    }

    @Test("C-72 a reader whose window goes away between two pieces holds nothing up")
    func destroyedInPieces() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let victim = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let text = Noise.text(1 << 20)
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with {
        $0.transferStall = .seconds(60)
        $0.neverRead = .seconds(60)
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        await ask(victim, "UTF8_STRING", "X")
        for isAnnounced in [true, false] {
          try await eventually("it gets a piece") {
            let piece = await victim.run { victim.take(victim.window, victim.atom("X")) }
            return piece.map { ($0.type == "INCR") == isAnnounced } ?? false
          }
        }
        await victim.run { _ = XDestroyWindow(victim.display, victim.window) }
        try await eventually("it is given up") { await !injector.connection.isSendingPieces }
        victim.quit()
        await probe.run {
          _ = XConvertSelection(
            probe.display, probe.atom("CLIPBOARD"), probe.atom("UTF8_STRING"), probe.atom("PROBE_LANDING"),
            probe.window, 0)
        }
        try await eventually("the target's text arrives whole") { probe.pasted == [text] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test(
      "C-48 a target that asks again into the same property, in the middle of a large text, does not hold the clipboard for ever"
    )
    func asksAgainInPieces() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let text = Noise.text(1 << 20)
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.transferStall = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        await probe.run {
          for property in ["X", "X", "PROBE_LANDING"] {
            _ = XConvertSelection(
              probe.display, probe.atom("CLIPBOARD"), probe.atom("UTF8_STRING"), probe.atom(property), probe.window, 0)
          }
          // Taken back by asking for something small.
          _ = XConvertSelection(
            probe.display, probe.atom("CLIPBOARD"), probe.atom("TIMESTAMP"), probe.atom("X"), probe.window, 0)
        }
        try await eventually("the target's text arrives whole") { probe.pasted.contains(text) }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test("B-55 a target that looks what there is and fetches it later gets the transcript")
    func looksFirst() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.firstTarget = "TARGETS"
      probe.plan.reads = [.zero, .milliseconds(300)]
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
      }
    }

    @Test("C-72 MULTIPLE hands large texts over in pieces too, and answers a bounded number of pairs")
    func multiple() async throws {
      let probe = try await ProbeWindow().shown()
      let reader = try Peeker()
      defer { quit(probe, reader) }
      let text = Noise.text(1 << 20)
      probe.plan.reads = []
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.transferStall = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: nil)
        let answer = await reader.readMultiple(["TIMESTAMP", "UTF8_STRING"])
        #expect(answer.count == 2 && answer[0] != nil)
        // `readMultiple` took the announcement.
        #expect(try await pieces(reader, "PAIR_1") == Array(text.utf8))
        // More pairs than anybody needs.
        let many = await reader.readMultiple(Array(repeating: "TIMESTAMP", count: 3000))
        #expect(many.count <= 256)
        #expect(await reader.targets().contains("UTF8_STRING"))
      }
    }

    @Test("requests in the name of windows and properties that do not exist, or are ours, do no harm")
    func forged() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      probe.plan.reads = []
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(Noise.text(1 << 20), after: nil, windowTitle: nil)
        try await eventually("the keys have come") { probe.strokes.count == 1 }
        let owner = await peeker.owner()
        #expect(owner != 0)
        await peeker.run {
          let targets =
            ["UTF8_STRING", "TARGETS", "TIMESTAMP", "MULTIPLE", "INCR"].map(peeker.atom) + [0, 0x7fff_0000]
          for requestor in [owner, peeker.root, 0, 1, 0x1f_ffff_ff, owner + 1] {
            for target in targets {
              for property in [peeker.atom("_BLURT_CLOCK"), peeker.atom("_BLURT_LANDING_0"), 0, 0x7fff_0001] {
                var event = XEvent()
                event.xselectionrequest.type = SelectionRequest
                event.xselectionrequest.owner = owner
                event.xselectionrequest.requestor = requestor
                event.xselectionrequest.selection = peeker.atom("CLIPBOARD")
                event.xselectionrequest.target = target
                event.xselectionrequest.property = property
                XSendEvent(peeker.display, owner, 0, 0, &event)
                // An answer that nobody asked for.
                event.xselection.type = SelectionNotify
                event.xselection.requestor = owner
                event.xselection.selection = peeker.atom("CLIPBOARD")
                event.xselection.target = target
                event.xselection.property = property
                XSendEvent(peeker.display, owner, 0, 0, &event)
              }
            }
          }
        }
        // An answer to the window 0 or 1 would go to whatever is under the pointer or has the focus.
        #expect(probe.pasted.isEmpty)
        try await works(injector, probe, peeker)
      }
    }

    // MARK: Copies at the worst moment

    @Test(
      "C-49 what another program copies between the reading and the keys is not lost: it comes back after the paste")
    func copiedBeforeOwning() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      let newer = Mutex<ForeignOwner?>(nil)
      defer {
        quit(probe, peeker, old)
        newer.withLock { $0?.quit() }
      }
      let asked = Box(0)
      var rig = InjectorRig()
      rig.isInFront = {
        let count = asked.update { count in
          count += 1
          return count
        }
        // The second question comes when the old clipboard has been read.
        if count == 2 { newer.withLock { $0 = try? ForeignOwner(text: "newer") } }
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the newer text comes back") { await peeker.text() == "newer" }
      }
      #expect(asked.value == 3)
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-49 C-73 the same when the program that owns the clipboard copies again: its window does not change")
    func copiedAgainBeforeOwning() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let asked = Box(0)
      var rig = InjectorRig()
      rig.isInFront = {
        let count = asked.update { count in
          count += 1
          return count
        }
        if count == 2 { old.copyBlocking(text: "newer") }
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the newer text comes back") { await peeker.text() == "newer" }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-49 a program that copies without end keeps the clipboard: no chord, a notice, its text is not touched")
    func copiesWithoutEnd() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let copies = Box(0)
      var rig = InjectorRig()
      rig.isInFront = {
        let count = copies.update { count in
          count += 1
          return count
        }
        old.copyBlocking(text: "copy \(count)")
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: X11Error.clipboardTaken) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.owner() == old.window)
        #expect(await peeker.text() == "copy \(copies.value)")
      }
      #expect(probe.keys.isEmpty)
      #expect(rig.notices.all == [.clipboardTaken])
    }

    @Test("C-51 an owner that leaves while it is being read leaves an empty clipboard, which is empty again afterwards")
    func ownerLeaves() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old", manner: .silent)
      defer { quit(probe, peeker) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.snapshot = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        async let insert: Void = injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("it is asked") { !old.asked.isEmpty }
        old.quit()
        try await insert
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("nobody owns the clipboard") { await peeker.owner() == 0 }
      }
    }

    // MARK: Histories, and the end

    @Test("C-76 B-67 where the user wants histories to keep dictations, nothing is hidden from them")
    func historiesMayKeep() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      probe.plan.reads = [.milliseconds(200)]
      var rig = InjectorRig()
      rig.hidesFromHistories = false
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        #expect(await peeker.targets().contains("UTF8_STRING"))
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
        try await eventually("the old clipboard comes back") { await peeker.text() == "old" }
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
      }
    }

    @Test("C-76 the hint of a password manager comes back with what it had copied")
    func foreignHint() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner([
        "UTF8_STRING": Array("hunter2".utf8), "x-kde-passwordManagerHint": Array("secret".utf8),
      ])
      defer { quit(probe, peeker, old) }
      var rig = InjectorRig()
      rig.hidesFromHistories = false
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") { await peeker.text() == "hunter2" }
        #expect(await peeker.read("x-kde-passwordManagerHint")?.text == "secret")
      }
    }

    @Test("C-78 B-64 at exit a manager takes over everything that came back, also in pieces and by MULTIPLE")
    func handsOverEverything() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let manager = try ClipboardManager(takesMultiple: true)
      let png = Noise.bytes(1 << 20)
      let old = try ForeignOwner(["UTF8_STRING": Array("old".utf8), "image/png": png])
      defer { quit(probe, peeker, manager, old) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.handover = .seconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("it is settled") { await injector.connection.settling == nil }
      }
      #expect(await peeker.owner() == manager.window)
      #expect(await peeker.text() == "old")
      #expect(manager.kept["image/png"] == png)
    }
  }
}
