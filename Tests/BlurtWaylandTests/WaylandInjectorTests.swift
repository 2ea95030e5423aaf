import BlurtEngine
import BlurtTestSupport
import Synchronization
import Testing

@testable import BlurtWayland

/// The steps of a paste with programs that behave on demand. The real ones are met in `Tests/Rig/wayland.py`.
@Suite("Pasting under Wayland", .timeLimit(.minutes(2)))
struct WaylandInjectorTests {
  private static let text = "Grüße, 日本語 🩻"

  @Test("C-44 C-47 B-72 B-83 wtype sends Shift+Insert where no window is known; the old clipboard comes back")
  func paste() async throws {
    let rig = try WaylandRig()
    try rig.copy("old")
    try rig.copy("old primary", primary: true)
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(rig.text("window") == Self.text)
      #expect(rig.text("keys") == "-M shift -k Insert -m shift -p VoidSymbol\n")
      #expect(await eventually { rig.clipboard() == "old" && rig.clipboard("PRIMARY") == "old primary" })
      #expect(rig.seenUnread == [true, false])
      #expect(rig.seenNotices.isEmpty)
    }
  }

  @Test("no text on a command line: others can read those")
  func commandLines() async throws {
    let rig = try WaylandRig()
    try rig.copy("old")
    try await rig.use { injector in
      try await injector.insert("secret", after: nil, windowTitle: nil)
      #expect(await eventually { rig.clipboard() == "old" })
      let lines = try #require(rig.text("copies"))
      #expect(!lines.contains("secret") && !lines.contains("old"))
    }
  }

  @Test("C-51 a clipboard that was empty is emptied again")
  func empty() async throws {
    let rig = try WaylandRig()
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(rig.clipboard() == Self.text)
      #expect(await eventually { rig.clipboard() == nil })
    }
  }

  @Test("C-51 KWin tells nothing of what is empty, and wl-paste waits for it for ever: empty it is, and nothing waits")
  func emptyUntold() async throws {
    let rig = try WaylandRig(selections: [])
    // The real one of both: no list of forms ever comes, and PRIMARY is said to be missing.
    try rig.program(
      "wl-paste",
      """
      for word; do [ "$word" = --list-types ] && exec sleep 1000; done
      exec cat "$(cat "$root/CLIPBOARD")/stdin"
      """)
    try rig.wrap(
      "wl-copy",
      """
      for word; do
        [ "$word" = --primary ] && { echo "The compositor does not seem to support primary selection" >&2; exit 1; }
      done
      """)
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(rig.text("window") == Self.text)
      #expect(await eventually { rig.clipboard() == nil })
    }
    #expect(rig.seenNotices.isEmpty)
  }

  @Test("B-54 an old PRIMARY that cannot be replaced: no keys, since a terminal would paste it")
  func primaryRefused() async throws {
    let rig = try WaylandRig()
    try rig.copy("old primary", primary: true)
    try rig.wrap("wl-copy", "for word; do [ \"$word\" = --primary ] && { echo refused >&2; exit 1; }; done")
    try await rig.use { injector in
      await #expect(throws: WaylandError.clipboardRefused("refused")) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
    }
    #expect(rig.text("keys") == nil)
    #expect(rig.clipboard() == Self.text)
    #expect(rig.seenNotices == [.clipboardRefused])
  }

  @Test("C-52 of a rich text the plain one comes back, and the user is told that the rest is gone")
  func richText() async throws {
    let rig = try WaylandRig()
    try rig.copy("old", type: "text/html\ntext/plain")
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(await eventually { rig.clipboard() == "old" && rig.seenNotices == [.oldClipboardInOneForm] })
    }
  }

  @Test("C-50 a clipboard that cannot be read is not taken for empty: the text stays, and the user is told")
  func unknown() async throws {
    let rig = try WaylandRig()
    try rig.program(
      "wl-paste",
      """
      for word; do [ "$word" = --list-types ] && { echo "something is wrong" >&2; exit 1; }; done
      exec cat "$(cat "$root/CLIPBOARD")/stdin"
      """)
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(rig.seenNotices == [.oldClipboardUnreadable])
      #expect(await eventually { rig.seenUnread == [true, false] })
    }
    #expect(rig.clipboard() == Self.text)
  }

  @Test("C-74 a clipboard over the limit is left alone, and the user is told")
  func tooLarge() async throws {
    let rig = try WaylandRig()
    rig.timing.snapshotByteLimit = 3
    try rig.copy("four")
    try await rig.use { try await $0.insert(Self.text, after: nil, windowTitle: nil) }
    #expect(rig.seenNotices == [.oldClipboardTooLarge])
    #expect(rig.clipboard() == Self.text)
  }

  @Test("B-54 B-55 nobody reads: the old clipboard never comes back, the text stays, and the user is told")
  func neverRead() async throws {
    let rig = try WaylandRig()
    rig.timing.neverRead = .milliseconds(300)
    try rig.program("wtype", "exit 0")
    try rig.copy("old")
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      #expect(await eventually { rig.seenNotices == [.neverRead] })
      #expect(rig.clipboard() == Self.text)
      #expect(rig.seenUnread == [true, false])
    }
    #expect(rig.clipboard() == Self.text)
  }

  @Test("C-49 whoever copies while the paste settles keeps the clipboard")
  func copiedMeanwhile() async throws {
    let rig = try WaylandRig()
    rig.timing.settleFloor = .seconds(3)
    try rig.copy("old")
    try await rig.use { injector in
      try await injector.insert(Self.text, after: nil, windowTitle: nil)
      try rig.copy("new")
      // Ends the wait; the text was read, so a restore would come now.
    }
    #expect(rig.clipboard() == "new")
  }

  @Test("B-56 a clipboard that is taken between our text and the keys: no keys, and the user is told")
  func robbed() async throws {
    let rig = try WaylandRig()
    rig.timing.program = .seconds(2)
    try rig.copy("old")
    try rig.program(
      "wl-copy",
      """
      cat >/dev/null; new=$(mktemp -d "$TMPDIR/wl-copy-buffer-XXXXXX"); echo thief >"$new/stdin"; echo "$new" >"$root/CLIPBOARD"
      """)
    try await rig.use { injector in
      await #expect(throws: WaylandError.clipboardTaken) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
    }
    #expect(rig.text("keys") == nil)
    #expect(rig.seenNotices == [.clipboardTaken])
  }

  @Test("C-71 B-90 no way to send keys: the text is on the clipboard, and the notice says what to do")
  func noKeys() async throws {
    let rig = try WaylandRig(interfaces: [WaylandGlobals.dataControls[0]])
    try rig.copy("old")
    try await rig.use { injector in
      await #expect(throws: BlurtError.targetAppLost) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
      let status = injector.status
      #expect(status.isReachable && status.hasDataControl && !status.canPaste)
      #expect(status.remedy == PasteKeys.remedy(takesVirtualKeys: false))
    }
    #expect(rig.seenNotices == [.noKeys])
    #expect(rig.clipboard() == Self.text)
    #expect(rig.text("keys") == nil)
  }

  @Test("wl-clipboard is missing: the notice names the package, and nothing is sent")
  func noClipboard() async throws {
    let rig = try WaylandRig()
    rig.remove("bin/wl-copy")
    // The machine may have the real one.
    rig.path = rig.folder.file("bin")
    try await rig.use { injector in
      await #expect(throws: BlurtError.accessibilityPermissionMissing) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
      #expect(injector.status.remedy == "sudo apt-get install wl-clipboard")
    }
    #expect(rig.seenNotices == [.noClipboardProgram])
  }

  @Test("wtype fails: the text stays on the clipboard, and the user is told")
  func keysFail() async throws {
    let rig = try WaylandRig()
    try rig.program("wtype", "exit 1")
    try rig.copy("old")
    try await rig.use { injector in
      await #expect(throws: BlurtError.targetAppLost) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
    }
    #expect(rig.clipboard() == Self.text)
    #expect(rig.seenNotices == [.noKeys])
  }

  @Test("B-92 behind a locked screen nothing is pasted")
  func notInFront() async throws {
    let rig = try WaylandRig()
    rig.world.isInFront.withLock { $0 = false }
    try await rig.use { injector in
      await #expect(throws: BlurtError.noEditableTarget) {
        try await injector.insert(Self.text, after: nil, windowTitle: nil)
      }
    }
    #expect(rig.clipboard() == Self.text)
    #expect(rig.text("keys") == nil)
    #expect(rig.seenNotices == [.notInFront])
  }

  @Test("C-37 cancelled before the last gate: the clipboard is untouched")
  func cancelled() async throws {
    let rig = try WaylandRig()
    try rig.copy("old")
    try rig.program(
      "wl-paste",
      """
      touch "$root/reading"; while [ ! -e "$root/go" ]; do sleep 0.01; done
      echo "No selection" >&2; exit 1
      """)
    try await rig.use { injector in
      let insert = Task { try await injector.insert(Self.text, after: nil, windowTitle: nil) }
      #expect(await eventually { rig.text("reading") != nil })
      insert.cancel()
      try rig.write("", to: "go")
      await #expect(throws: CancellationError.self) { try await insert.value }
    }
    #expect(rig.clipboard() == "old")
    #expect(rig.text("keys") == nil)
  }

  @Test("C-35 the next insert takes over: what comes back is the clipboard from before the first")
  func twoInARow() async throws {
    let rig = try WaylandRig()
    try rig.copy("old")
    try await rig.use { injector in
      try await injector.insert("One.", after: nil, windowTitle: nil)
      try await injector.insert("Two.", after: nil, windowTitle: nil)
      #expect(rig.text("window") == "One.Two.")
      #expect(await eventually { rig.clipboard() == "old" })
    }
  }

  @Test("B-86 where no window is known it may be a terminal: a newline must not run a command")
  func newline() async throws {
    let rig = try WaylandRig()
    try await rig.use { try await $0.insert("one\ntwo\u{1b}[201~", after: nil, windowTitle: nil) }
    #expect(rig.text("window") == "one two[201~")
  }

  @Test("a session without a compositor has no Wayland injector; one that does not answer says so")
  func noCompositor() async throws {
    let host = WaylandHost(environment: [:], onNotice: { _ in })
    #expect(try WaylandInjector(host) == nil)
    let gone = WaylandHost(environment: ["WAYLAND_DISPLAY": "/nowhere/wayland-0"], onNotice: { _ in })
    let injector = try #require(try WaylandInjector(gone))
    let status = await injector.freshStatus()
    #expect(!status.isReachable && !status.canPaste)
    #expect(status.message.contains("import-environment"))
    await #expect(throws: BlurtError.accessibilityPermissionMissing) {
      try await injector.insert("text", after: nil, windowTitle: nil)
    }
    injector.stop()
  }
}
