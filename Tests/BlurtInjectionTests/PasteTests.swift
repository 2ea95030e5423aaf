import BlurtEngine
import BlurtOS
import BlurtTestSupport
import CX11
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// From the call to the chord: C-33 to C-46 and C-54, C-55.
  @Suite("paste")
  struct PasteTests {
    private static let controlV = ProbeWindow.Key(name: "v", modifiers: UInt32(ControlMask), isPress: true)

    private func focus(_ probe: ProbeWindow, title: String? = nil) -> CapturedFocus {
      CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
    }

    @Test("C-36 C-45 C-46 a text is pasted with Ctrl+V into the window that has the focus, exact to the byte")
    func exact() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      let text = "Spaß ø piñata é 漢字 🩻 e\u{301}\nsecond line\ttab"
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert(text, after: nil, windowTitle: "probe")
        try await eventually("the text arrives") { probe.pasted.count == 1 }
      }
      #expect(probe.pasted.first??.utf8.elementsEqual(text.utf8) == true)
      #expect(probe.strokes == [Self.controlV])
    }

    @Test("C-34 an empty text does nothing and succeeds")
    func empty() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("", after: "Hi.", windowTitle: nil)
      }
      #expect(old.isOwner && old.asked.isEmpty)
      #expect(probe.keys.isEmpty)
    }

    @Test("C-33 C-40 C-77 the window of the press is brought to the front and gets the text")
    func activates() async throws {
      let first = try await ProbeWindow(title: "first").shown()
      let second = try await ProbeWindow(title: "second").shown()
      defer { quit(first, second) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(first))
        try await injector.insert("for the first", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { first.pasted == ["for the first"] }
      }
      #expect(first.hasFocus)
      #expect(second.keys.isEmpty)
    }

    @Test("C-33 the target is the one at the entry of the insert, whatever is set meanwhile")
    func snapshotOfTarget() async throws {
      let first = try await ProbeWindow(title: "first").shown()
      let second = try await ProbeWindow(title: "second").shown()
      defer { quit(first, second) }
      let gate = Gate()
      var rig = InjectorRig()
      rig.waitForModifiersReleased = { _ in
        await gate.pass()
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(first))
        async let insert: Void = injector.insert("mine", after: nil, windowTitle: nil)
        await gate.waitUntilReached()
        injector.setTarget(focus(second))
        gate.open()
        try await insert
        try await eventually("the text arrives") { first.pasted == ["mine"] }
      }
      #expect(second.pasted.isEmpty)
    }

    @Test(
      "C-39 C-53 a window that is gone: targetAppLost, and the final text with its separator stays on the clipboard")
    func gone() async throws {
      let peeker = try Peeker()
      let other = try await ProbeWindow(title: "other").shown()
      let probe = try await ProbeWindow().shown()
      defer { quit(peeker, other) }
      let target = focus(probe)
      probe.quit()
      try await InjectorRig().use { injector in
        injector.setTarget(target)
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: "Hi.", windowTitle: "probe")
        }
        #expect(await peeker.text() == " words")
        #expect(await !peeker.targets().contains("x-kde-passwordManagerHint"))
      }
      #expect(other.keys.isEmpty)
    }

    @Test("C-39 a window id that now belongs to another program is not the target")
    func reused() async throws {
      let probe = try await ProbeWindow(windowClass: "Elsewhere", processID: 1).shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
      }
      #expect(probe.keys.isEmpty)
    }

    @Test("C-40 B-92 a window that will not come to the front in time: targetAppLost, text on the clipboard")
    func cannotActivate() async throws {
      let peeker = try Peeker()
      let hidden = try await ProbeWindow(title: "hidden").shown()
      await hidden.run { _ = XUnmapWindow(hidden.display, hidden.window) }
      let other = try await ProbeWindow(title: "other").shown()
      defer { quit(peeker, hidden, other) }
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .milliseconds(60) }
      try await rig.use { injector in
        injector.setTarget(focus(hidden))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
      #expect(other.keys.isEmpty)
    }

    @Test("C-37 C-38 C-41 a cancel before the last gate pastes nothing and leaves the clipboard as it was")
    func cancelBefore() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, old) }
      let gate = Gate()
      var rig = InjectorRig()
      rig.waitForModifiersReleased = { _ in
        await gate.pass()
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        await gate.waitUntilReached()
        insert.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await insert.value }
      }
      #expect(old.isOwner)
      #expect(probe.keys.isEmpty)
    }

    @Test("C-41 a cancel while the old clipboard is still being read pastes nothing")
    func cancelWhileReading() async throws {
      let probe = try await ProbeWindow().shown()
      let old = try ForeignOwner(text: "old", manner: .silent)
      defer { quit(probe, old) }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        try await eventually("the old clipboard is asked for") { !old.asked.isEmpty }
        insert.cancel()
        await #expect(throws: CancellationError.self) { try await insert.value }
      }
      #expect(old.isOwner)
      #expect(probe.keys.isEmpty)
    }

    @Test("C-98 a cancel while activation fails is a cancel: the clipboard is untouched")
    func cancelWhileActivating() async throws {
      let hidden = try await ProbeWindow(title: "hidden").shown()
      await hidden.run { _ = XUnmapWindow(hidden.display, hidden.window) }
      let other = try await ProbeWindow(title: "other").shown()
      let old = try ForeignOwner(text: "old")
      defer { quit(hidden, other, old) }
      let isWaiting = Gate(isOpen: true)
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.activation = .seconds(30) }
      rig.waitForModifiersReleased = { _ in
        await isWaiting.pass()
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(hidden))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        await isWaiting.waitUntilReached()
        insert.cancel()
        await #expect(throws: CancellationError.self) { try await insert.value }
      }
      #expect(old.isOwner)
    }

    @Test("C-37 a cancel after the last gate comes too late: the paste completes")
    func cancelAfter() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      let task = Mutex<Task<Void, any Error>?>(nil)
      let isStored = Gate()
      var rig = InjectorRig()
      rig.afterOwning = { task.withLock { $0?.cancel() } }
      rig.waitForModifiersReleased = { _ in
        await isStored.pass()
        return true
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        let insert = Task { try await injector.insert("words", after: nil, windowTitle: nil) }
        task.withLock { $0 = insert }
        isStored.open()
        try await insert.value
        #expect(insert.isCancelled)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
    }

    @Test("C-42 C-53 nothing has the focus: noEditableTarget, text on the clipboard, no key sent")
    func nowhere() async throws {
      let peeker = try Peeker()
      defer { peeker.quit() }
      for nowhere in [Window(None), Window(PointerRoot)] {
        await peeker.run { _ = XSetInputFocus(peeker.display, nowhere, Int32(RevertToNone), Time(CurrentTime)) }
        try await InjectorRig().use { injector in
          injector.setTarget(nil)
          await #expect(throws: BlurtError.noEditableTarget) {
            try await injector.insert("words", after: nil, windowTitle: nil)
          }
          #expect(await peeker.text() == "words")
        }
      }
    }

    @Test(
      "B-92 B-29 nothing is pasted while the session is not in front: no key, no window raised, text on the clipboard")
    func notInFront() async throws {
      let target = try await ProbeWindow(title: "target").shown()
      let other = try await ProbeWindow(title: "other").shown()
      let peeker = try Peeker()
      defer { quit(target, other, peeker) }
      var rig = InjectorRig()
      rig.isInFront = { false }
      try await rig.use { injector in
        injector.setTarget(focus(target))
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
      #expect(other.hasFocus)
      #expect(target.keys.isEmpty && other.keys.isEmpty)
      #expect(rig.notices.all == [.notInFront])
    }

    @Test("B-92 a screen that is locked while the paste is made ready gets no key")
    func lockedMeanwhile() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      let asked = Box(0)
      var rig = InjectorRig()
      rig.isInFront = {
        asked.update { asked in
          asked += 1
          return asked == 1
        }
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
      #expect(asked.value == 2)
      #expect(probe.keys.isEmpty)
    }

    @Test("C-71 B-90 in a Wayland session without X focus: targetAppLost, text on the clipboard")
    func wayland() async throws {
      let peeker = try Peeker()
      defer { peeker.quit() }
      await peeker.run { _ = XSetInputFocus(peeker.display, Window(None), Int32(RevertToNone), Time(CurrentTime)) }
      var rig = InjectorRig()
      rig.isWaylandSession = true
      try await rig.use { injector in
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
    }

    @Test("C-40 C-77 the focus that moves in the very moment of the paste takes no text along; it is on the clipboard")
    func focusMovesAtLast() async throws {
      let old = try ForeignOwner(text: "old")
      let other = try await ProbeWindow(title: "other").shown()
      defer { quit(old, other) }
      var rig = InjectorRig()
      rig.afterOwning = {
        other.runBlocking { XSetInputFocus(other.display, other.window, Int32(RevertToParent), Time(CurrentTime)) }
      }
      try await rig.scene { scene in
        await #expect(throws: BlurtError.targetAppLost) { try await scene.insert("words") }
        #expect(await scene.peeker.text() == "words")
        #expect(scene.probe.keys.isEmpty)
      }
      #expect(other.keys.isEmpty && other.pasted.isEmpty)
    }

    @Test("C-42 C-53 a field known to take no text: noEditableTarget, text on the clipboard, no key sent")
    func takesNoText() async throws {
      let asked = Box<[CapturedFocus?]>([])
      let rig = InjectorRig(takesNoText: { target in
        asked.append(target)
        return true
      })
      try await rig.scene { scene in
        await #expect(throws: BlurtError.noEditableTarget) { try await scene.insert("words") }
        #expect(await scene.peeker.text() == "words")
        #expect(await !scene.peeker.targets().contains("x-kde-passwordManagerHint"))
        #expect(scene.probe.keys.isEmpty)
        #expect(asked.value == [scene.focus])
      }
    }

    @Test("C-37 a cancel while the field is looked at again leaves the clipboard as it was")
    func takesNoTextCancelled() async throws {
      let old = try ForeignOwner(text: "old")
      defer { old.quit() }
      let gate = Gate()
      let rig = InjectorRig(takesNoText: { _ in
        await gate.pass()
        return true
      })
      try await rig.scene { scene in
        let insert = Task { try await scene.insert("words") }
        await gate.waitUntilReached()
        insert.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await insert.value }
        #expect(old.isOwner && scene.probe.keys.isEmpty)
      }
    }

    @Test(
      "C-60 an opaque program is pasted into, whatever accessibility makes of it", arguments: ["Chromium", "Emacs"])
    func opaque(_ windowClass: String) async throws {
      let probe = try await ProbeWindow(windowClass: windowClass).shown()
      defer { probe.quit() }
      probe.plan.shiftInsert = "CLIPBOARD"
      let asked = Box(false)
      let rig = InjectorRig(takesNoText: { _ in
        asked.update { $0 = true }
        return true
      })
      try await rig.use { injector in
        injector.setTarget(
          CapturedFocus(
            processID: getpid(), name: windowClass, windowID: UInt64(probe.window), windowClass: windowClass))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(!asked.value)
    }

    @Test(
      "C-56 C-57 a space is put between two dictations into a window that names no process, and not into its successor")
    func anonymous() async throws {
      try await InjectorRig().use { injector in
        func dictate(_ text: String, into probe: ProbeWindow) async throws {
          injector.setTarget(
            CapturedFocus(processID: 0, name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe"))
          let known = probe.pasted.count
          try await injector.insert(text, after: nil, windowTitle: "notes")
          try await eventually("the text arrives") { probe.pasted.count > known }
        }
        let first = try await ProbeWindow(title: "notes", processID: 0).shown()
        try await dictate("One.", into: first)
        try await dictate("Two.", into: first)
        #expect(first.pasted == ["One.", " Two."])
        let other = try await ProbeWindow(title: "notes", processID: 0).shown()
        try await dictate("Three.", into: other)
        quit(first, other)
        // The server gives the number to the next program.
        var successors: [ProbeWindow] = []
        defer { for successor in successors { successor.quit() } }
        while successors.last?.window != other.window, successors.count < 3 {
          successors.append(try await ProbeWindow(title: "notes", processID: 0).shown())
        }
        let successor = try #require(successors.last)
        #expect(successor.window == other.window)
        try await dictate("Four.", into: successor)
        #expect(other.pasted == ["Three."])
        #expect(successor.pasted == ["Four."])
      }
    }

    @Test("C-42 a desktop or a panel is no text field", arguments: ["DESKTOP", "DOCK"])
    func desktop(_ type: String) async throws {
      let peeker = try Peeker()
      let probe = try ProbeWindow(type: "_NET_WM_WINDOW_TYPE_\(type)")
      defer { quit(peeker, probe) }
      try await eventually("the window can be focused") {
        await probe.run {
          var attributes = XWindowAttributes()
          XGetWindowAttributes(probe.display, probe.window, &attributes)
          return attributes.map_state == IsViewable
        }
      }
      await probe.run { _ = XSetInputFocus(probe.display, probe.window, Int32(RevertToParent), Time(CurrentTime)) }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
      #expect(probe.keys.isEmpty)
    }

    @Test(
      "C-62 C-70 without accessibility an unknown window counts as editable, and with no target the focus is pasted into"
    )
    func noTarget() async throws {
      let probe = try await ProbeWindow(windowClass: "Unheard").shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: "a title")
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        // Remembered with no window, so the next one gets no separator.
        try await injector.insert("more", after: nil, windowTitle: "a title")
        try await eventually("the text arrives") { probe.pasted == ["words", "more"] }
      }
    }

    @Test("with no target a launcher that no window manager knows is pasted into as well")
    func unmanaged() async throws {
      let managed = try await ProbeWindow().shown()
      let launcher = try ProbeWindow(windowClass: "Launcher", isManaged: false)
      defer { quit(managed, launcher) }
      await launcher.run {
        _ = XSetInputFocus(launcher.display, launcher.window, Int32(RevertToParent), Time(CurrentTime))
      }
      _ = try await launcher.shown()
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { launcher.pasted == ["words"] }
      }
    }

    @Test("C-46 C-56 the next insert into the same window gets its space, one that failed is not remembered")
    func separator() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("Hi.", after: nil, windowTitle: "probe")
        try await eventually("the text arrives") { probe.pasted.count == 1 }
        injector.setTarget(CapturedFocus(processID: getpid(), name: "gone", windowID: 1))
        await #expect(throws: BlurtError.targetAppLost) {
          try await injector.insert("lost ", after: nil, windowTitle: "probe")
        }
        injector.setTarget(focus(probe))
        try await injector.insert("There", after: nil, windowTitle: "probe")
        try await eventually("the text arrives") { probe.pasted == ["Hi.", " There"] }
      }
    }

    @Test("C-43 no display: accessibilityPermissionMissing, and the status says what to do")
    func noDisplay() async throws {
      for name in [nil, "", ":9999"] {
        var rig = InjectorRig()
        rig.displayName = { name }
        try await rig.use { injector in
          await #expect(throws: BlurtError.accessibilityPermissionMissing) {
            try await injector.insert("words", after: nil, windowTitle: nil)
          }
          #expect(injector.status == (name == ":9999" ? .unreachable(display: ":9999") : .noDisplay))
          #expect(await injector.focus.frontmost() == nil)
        }
      }
    }

    @Test("B-56 the clipboard is taken before the chord: no chord, a notice, and the newest copy is left alone")
    func stolen() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let thief = Mutex<ForeignOwner?>(nil)
      var rig = InjectorRig()
      rig.afterOwning = {
        let owner = try? ForeignOwner(text: "just copied")
        thief.withLock { $0 = owner }
      }
      defer { thief.withLock { $0?.quit() } }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: X11Error.clipboardTaken) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "just copied")
      }
      #expect(probe.keys.isEmpty)
      #expect(rig.notices.all == [.clipboardTaken])
    }

    // MARK: Keys

    @Test(
      "C-54 C-55 B-69 B-71 whatever is held, the window sees exactly its chord, and nothing is left down",
      arguments: ["Shift_L", "Control_R", "Control_L", "Alt_L", "Super_L", "ISO_Level3_Shift", "Shift_R"])
    func heldModifier(_ name: String) async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      await keyboard.key(name, isDown: true)
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.strokes == [Self.controlV])
      let release = try #require(probe.keys.first { $0.name == "v" && !$0.isPress })
      #expect(release.modifiers == UInt32(ControlMask))
      #expect(await keyboard.keysDownCount() == 0)
      await keyboard.key(name, isDown: false)
      #expect(await keyboard.keysDownCount() == 0)
    }

    @Test("C-55 a held Control is not the one the chord uses, so that its release cannot fall into the chord")
    func otherControl() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      await keyboard.key("Control_L", isDown: true)
      probe.forget()
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      let presses = probe.keys.filter(\.isPress).map(\.name)
      #expect(presses.suffix(2) == ["Control_R", "v"])
    }

    @Test("C-55 the trigger is let go as well, also where it is no modifier")
    func heldTrigger() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      await keyboard.key("Pause", isDown: true)
      var rig = InjectorRig()
      rig.triggerKeyCode = 119  // KEY_PAUSE
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(await keyboard.keysDownCount() == 0)
    }

    @Test("Caps Lock stays on through a paste, and the paste works")
    func capsLock() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      for isDown in [true, false] { await keyboard.key("Caps_Lock", isDown: isDown) }
      #expect(await keyboard.keyboardState().locked & 2 != 0)
      try await InjectorRig().use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(await keyboard.keyboardState().locked & 2 != 0)
      for isDown in [true, false] { await keyboard.key("Caps_Lock", isDown: isDown) }
      #expect(await keyboard.keyboardState().locked & 2 == 0)
    }

    @Test("B-25 after 200 pastes no key is down")
    func manyPastes() async throws {
      let probe = try await ProbeWindow().shown()
      let keyboard = try Peeker()
      defer { quit(probe, keyboard) }
      var rig = InjectorRig()
      rig.timing = .quick.with {
        $0.settleFloor = .milliseconds(1)
        $0.quietAfterRead = .milliseconds(1)
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        for number in 0..<200 { try await injector.insert("\(number)", after: nil, windowTitle: nil) }
        try await eventually("all texts arrive, in order") { probe.pasted == (0..<200).map { "\($0)" } }
      }
      #expect(probe.strokes == Array(repeating: Self.controlV, count: 200))
      #expect(await keyboard.keysDownCount() == 0)
      #expect(rig.notices.all.isEmpty)
    }

    @Test("B-26 keys that a daemon killed in mid-chord left down are let go at the next start")
    func leftDown() async throws {
      let keyboard = try Peeker()
      let killed = try Peeker()
      defer { keyboard.quit() }
      await killed.run {
        let codes = [XK_Control_L, XK_v].map { XKeysymToKeycode(killed.display, KeySym($0)) }
        killed.setBytes(killed.root, killed.atom("_BLURT_CHORD"), Atom(XA_CARDINAL), codes.map { UInt8($0) })
        for code in codes { XTestFakeKeyEvent(killed.display, UInt32(code), 1, 0) }
      }
      killed.quit()
      #expect(await keyboard.keysDownCount() == 2)
      try await InjectorRig().use { injector in
        injector.connectIfPossible()
        try await eventually("connected") { injector.status == .connected(display: X11Rig.displayName) }
        #expect(await keyboard.keysDownCount() == 0)
      }
    }

    @Test("B-26 what another program or the user holds is not touched at start")
    func notOurs() async throws {
      let keyboard = try Peeker()
      defer { keyboard.quit() }
      await keyboard.key("Control_L", isDown: true)
      try await InjectorRig().use { injector in
        _ = await injector.focus.frontmost()
        #expect(await keyboard.keysDownCount() == 1)
      }
      await keyboard.key("Control_L", isDown: false)
    }

    @Test("C-54 the user's own modifiers are waited for, with the bound that was set")
    func modifierWait() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      let asked = Mutex<[Duration]>([])
      var rig = InjectorRig()
      rig.timing = .quick.with { $0.modifierWait = .milliseconds(987) }
      rig.waitForModifiersReleased = { limit in
        asked.withLock { $0.append(limit) }
        return false
      }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(asked.withLock { $0 } == [.milliseconds(987)])
    }

    // MARK: Classes

    @Test("C-67 B-86 a terminal gets Ctrl+Shift+V and one line without control bytes")
    func terminal() async throws {
      let probe = try await ProbeWindow(instance: "kitty", windowClass: "kitty").shown()
      defer { probe.quit() }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        try await injector.insert("ls\nrm \u{1b}[201~x", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["ls rm [201~x"] }
      }
      #expect(
        probe.strokes == [ProbeWindow.Key(name: "v", modifiers: UInt32(ControlMask | ShiftMask), isPress: true)])
    }

    @Test("C-68 xterm gets Shift+Insert, with PRIMARY owned as well and given back after")
    func primaryTerminal() async throws {
      let probe = try await ProbeWindow(instance: "xterm", windowClass: "XTerm").shown()
      let peeker = try Peeker()
      let selected = try ForeignOwner(text: "selected", selection: "PRIMARY")
      let copied = try ForeignOwner(text: "copied")
      defer { quit(probe, peeker, selected, copied) }
      try await InjectorRig().use { injector in
        injector.setTarget(nil)
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
        try await eventually("both are told that they lost it") { !selected.isOwner && !copied.isOwner }
        try await eventually("both come back") {
          let both = (await peeker.text(from: "PRIMARY"), await peeker.text())
          return both == ("selected", "copied")
        }
      }
      #expect(probe.strokes == [ProbeWindow.Key(name: "Insert", modifiers: UInt32(ShiftMask), isPress: true)])
    }

    @Test("B-87 a class that the user set to never keeps its keys to itself; the text is on the clipboard")
    func never() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      defer { quit(probe, peeker) }
      var rig = InjectorRig()
      rig.rules = { WindowClassRules(chords: ["probe": "never"]) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
      }
      #expect(probe.keys.isEmpty)
    }

    @Test("B-87 a chord that the user set for a class is sent")
    func userChord() async throws {
      let probe = try await ProbeWindow().shown()
      defer { probe.quit() }
      var rig = InjectorRig()
      rig.rules = { WindowClassRules(chords: ["probe": "ctrl+y"]) }
      try await rig.use { injector in
        injector.setTarget(focus(probe))
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.strokes == [ProbeWindow.Key(name: "y", modifiers: UInt32(ControlMask), isPress: true)])
    }
  }
}
