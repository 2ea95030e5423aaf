import BlurtEngine
import BlurtTestSupport
import CX11
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// The old clipboard, read at key-up for the paste that follows.
  @Suite("read ahead")
  struct ReadAheadTests {
    private func readAhead(_ scene: PasteScene) async throws {
      scene.injector.expectInsert(true)
      try await eventually("the clipboard is read") { await scene.injector.connection.isReadAhead == true }
    }

    @Test("C-74 what is read at key-up need not be asked for at the paste, and comes back")
    func once() async throws {
      let old = try ForeignOwner(["UTF8_STRING": Array("old".utf8), "text/html": Array("<b>old</b>".utf8)])
      defer { old.quit() }
      let rig = InjectorRig()
      try await rig.scene { scene in
        try await readAhead(scene)
        let asked = old.asked
        #expect(Set(asked) == ["TARGETS", "UTF8_STRING", "text/html"])
        #expect(old.isOwner)
        try await scene.insert("words")
        scene.injector.expectInsert(false)
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        try await eventually("the old clipboard comes back") { await scene.peeker.text() == "old" }
        #expect(await scene.peeker.read("text/html")?.text == "<b>old</b>")
        #expect(old.asked == asked)
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-44 what the same program copies after key-up is what comes back")
    func copiedAgain() async throws {
      let old = try ForeignOwner(text: "at key-up")
      defer { old.quit() }
      let rig = InjectorRig()
      try await rig.scene { scene in
        try await readAhead(scene)
        await old.copy(["UTF8_STRING": Array("after it".utf8)])
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        try await eventually("the newer copy comes back") { await scene.peeker.text() == "after it" }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-44 so is what a Tk program copies after key-up, which tells nobody of it")
    func copiedByTk() async throws {
      let tk: [UInt8] = [0]
      let old = try ForeignOwner(["UTF8_STRING": Array("at key-up".utf8), "TK_WINDOW": tk])
      defer { old.quit() }
      let rig = InjectorRig()
      try await rig.scene { scene in
        try await readAhead(scene)
        await old.copySilently(["UTF8_STRING": Array("after it".utf8), "TK_WINDOW": tk])
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        try await eventually("the newer copy comes back") { await scene.peeker.text() == "after it" }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-44 so is what another program copies, and what a program that has gone held is not brought back")
    func copiedElsewhere() async throws {
      let rig = InjectorRig()
      try await rig.scene { scene in
        let old = try ForeignOwner(text: "at key-up")
        try await readAhead(scene)
        let other = try ForeignOwner(text: "elsewhere")
        try await scene.insert("words")
        try await eventually("the newer copy comes back") { await scene.peeker.text() == "elsewhere" }
        old.quit()
        other.quit()
        let last = try ForeignOwner(text: "of a program that ends")
        scene.injector.expectInsert(false)
        try await eventually("nothing is kept") { await scene.injector.connection.isReadAhead == nil }
        try await readAhead(scene)
        last.quit()
        try await scene.insert("more")
        try await eventually("the text arrives") { scene.probe.pasted == ["words", "more"] }
        try await eventually("the clipboard is as empty as it was") {
          await scene.peeker.run {
            XGetSelectionOwner(scene.peeker.display, scene.peeker.atom("CLIPBOARD")) == Window(None)
          }
        }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-51 an empty clipboard is known to be empty at key-up, and emptied again")
    func empty() async throws {
      let rig = InjectorRig()
      try await rig.scene { scene in
        let gone = try ForeignOwner(text: "gone")
        gone.quit()
        try await readAhead(scene)
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        try await eventually("the clipboard is empty again") {
          await scene.peeker.run {
            XGetSelectionOwner(scene.peeker.display, scene.peeker.atom("CLIPBOARD")) == Window(None)
          }
        }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-74 an owner that is slow has the time since key-up, and is asked once")
    func slow() async throws {
      let old = try ForeignOwner(text: "old", manner: .heldBack)
      defer { old.quit() }
      let rig = InjectorRig(timing: .quick.with { $0.snapshot = .seconds(60) })
      try await rig.scene { scene in
        scene.injector.expectInsert(true)
        try await eventually("its text is asked for") { old.asked.count == 3 }
        let insert = Task { try await scene.insert("words") }
        try await eventually("the insert waits") { await scene.injector.connection.isReadAhead == nil }
        #expect(old.isOwner && scene.probe.pasted.isEmpty)
        await old.letGo()
        try await insert.value
        try await eventually("the old clipboard comes back") { await scene.peeker.text() == "old" }
        #expect(old.asked.count == 3)
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("C-37 a cancel while it is still being read leaves the clipboard as it was")
    func cancel() async throws {
      let old = try ForeignOwner(text: "old", manner: .heldBack)
      defer { old.quit() }
      let rig = InjectorRig(timing: .quick.with { $0.snapshot = .seconds(60) })
      try await rig.scene { scene in
        scene.injector.expectInsert(true)
        try await eventually("its text is asked for") { old.asked.count == 3 }
        let insert = Task { try await scene.insert("words") }
        try await eventually("the insert waits") { await scene.injector.connection.isReadAhead == nil }
        insert.cancel()
        await #expect(throws: CancellationError.self) { try await insert.value }
        scene.injector.expectInsert(false)
        #expect(old.isOwner && scene.probe.keys.isEmpty)
      }
    }

    @Test("C-50 an owner that has not answered when the text comes late makes the clipboard unknown, not empty")
    func silent() async throws {
      let old = try ForeignOwner(text: "old", manner: .silent)
      defer { old.quit() }
      let rig = InjectorRig(timing: .quick.with { $0.snapshot = .milliseconds(20) })
      try await rig.scene { scene in
        scene.injector.expectInsert(true)
        try await eventually("it is asked") { old.asked == ["TARGETS"] }
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        #expect(old.asked == ["TARGETS"])
        #expect(await scene.peeker.text() == "words")
      }
      #expect(rig.notices.all == [.notRestored(.ownerSilent)])
    }

    @Test("PRIMARY, which follows the mouse, is read at the paste alone, within what is left of the bytes")
    func primary() async throws {
      let old = try ForeignOwner(text: "old")
      let selected = try ForeignOwner(text: "selected", selection: "PRIMARY")
      defer { quit(old, selected) }
      let rig = InjectorRig(rules: { WindowClassRules(chords: ["probe": "shift+Insert"]) })
      try await rig.scene { scene in
        try await readAhead(scene)
        #expect(selected.asked.isEmpty)
        await selected.copy(["UTF8_STRING": Array("selected since".utf8)])
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
        try await eventually("both are back") {
          let (copied, marked) = (await scene.peeker.text(), await scene.peeker.text(from: "PRIMARY"))
          return copied == "old" && marked == "selected since"
        }
      }
      #expect(rig.notices.all.isEmpty)
    }

    @Test("where no paste follows, nothing is kept of the clipboard and nobody's copies are watched")
    func forgotten() async throws {
      let old = try ForeignOwner(text: "old")
      defer { old.quit() }
      try await InjectorRig().scene { scene in
        try await readAhead(scene)
        scene.injector.expectInsert(false)
        try await eventually("it is forgotten") { await scene.injector.connection.isReadAhead == nil }
        let known = await scene.injector.connection.ownerChangeCount
        await old.copy(["UTF8_STRING": Array("new".utf8)])
        // A round trip of the connection, after which an event would have been seen.
        _ = await scene.injector.focus.frontmost()
        #expect(await scene.injector.connection.ownerChangeCount == known)
        #expect(await scene.peeker.text() == "new")
      }
    }

    @Test("C-74 nothing is read where the user is not in front, and not what is ours")
    func notRead() async throws {
      let old = try ForeignOwner(text: "old")
      defer { old.quit() }
      let isInFront = Box(false)
      let rig = InjectorRig(isInFront: { isInFront.value })
      try await rig.scene { scene in
        await scene.injector.connection.expectationChanged { true }
        #expect(await scene.injector.connection.isReadAhead == nil)
        #expect(old.asked.isEmpty)
        isInFront.update { $0 = true }
        try await scene.insert("words")
        // The text of the paste that still settles.
        await scene.injector.connection.expectationChanged { true }
        #expect(await scene.injector.connection.isReadAhead == nil)
        try await eventually("the old clipboard comes back") { await scene.peeker.text() == "old" }
      }
    }

    @Test("the display goes while the clipboard is read ahead: nothing is kept")
    func displayGone() async throws {
      let old = try ForeignOwner(text: "old")
      defer { old.quit() }
      try await InjectorRig().scene { scene in
        try await readAhead(scene)
        let connection = scene.injector.connection
        // Another client ends this one, as the end of the server would.
        let window = try #require(await connection.ownWindow)
        await old.run { _ = XKillClient(old.display, window) }
        try await eventually("the loss is seen") { await connection.ownWindow != window }
        #expect(await connection.isReadAhead == nil)
        scene.injector.expectInsert(false)
        try await scene.insert("words")
        try await eventually("the text arrives") { scene.probe.pasted == ["words"] }
      }
    }
  }
}
