import BlurtEngine
import BlurtOS
import Testing

@testable import BlurtWayland

@Suite("What the compositor and the programs say") struct WaylandPartsTests {
  @Test("the interfaces of a compositor are known when its answer is whole")
  func globals() {
    let answer = FakeCompositor.answer(["wl_seat", "zwp_virtual_keyboard_manager_v1", "wl_shm", "four"])
    #expect(WaylandGlobals.parse(answer) == ["wl_seat", "zwp_virtual_keyboard_manager_v1", "wl_shm", "four"])
    for count in 0..<(answer.count - 12) { #expect(WaylandGlobals.parse(Array(answer.prefix(count))) == nil) }
  }

  @Test("bytes that no compositor sends are no answer")
  func garbage() {
    func bytes(_ words: [UInt32]) -> [UInt8] { words.flatMap { withUnsafeBytes(of: $0, Array.init) } }
    #expect(WaylandGlobals.parse(bytes([2, 4 << 16])) == nil)
    // A name that says it is longer than its message.
    #expect(WaylandGlobals.parse(bytes([2, 16 << 16, 1, 4_000_000_000, 3, 12 << 16, 0])) == [])
  }

  @Test("the socket is found as libwayland finds it")
  func socketPath() {
    #expect(WaylandGlobals.socketPath([:]) == nil)
    #expect(WaylandGlobals.socketPath(["WAYLAND_DISPLAY": "wayland-1"]) == nil)
    #expect(WaylandGlobals.socketPath(["WAYLAND_DISPLAY": "/a/b"]) == "/a/b")
    #expect(WaylandGlobals.socketPath(["WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": "/run"]) == "/run/w")
  }

  @Test(
    "C-52 of several forms the one that loses least is kept",
    arguments: [
      (["TARGETS", "text/html", "text/plain", "UTF8_STRING"], "UTF8_STRING"),
      (["text/html", "text/plain;charset=utf-8"], "text/plain;charset=utf-8"),
      (["text/html", "image/png"], "image/png"), (["image/bmp", "image/png"], "image/png"),
      (["x-special/gnome-copied-files", "text/plain", "text/uri-list"], "text/uri-list"),
      (["application/x-own"], "application/x-own"), (["STRING"], "STRING"),
    ])
  func preferred(_ types: [String], _ type: String) { #expect(WaylandClipboard.preferred(types) == type) }

  @Test("C-76 a secret of a password manager is not read: wl-copy would show it to every history")
  func secret() {
    #expect(WaylandClipboard.preferred(["text/plain", "x-kde-passwordManagerHint"]) == nil)
    #expect(WaylandClipboard.preferred(["TARGETS"]) == nil)
  }

  @Test("the windows of sway, those under Xwayland with their class")
  func sway() throws {
    let tree = """
      {"id":1,"focused":false,"name":"root","nodes":[{"id":3,"focused":false,"name":"out","nodes":[
       {"id":4,"focused":false,"name":"1","floating_nodes":[{"id":8,"focused":false,"pid":80,"app_id":null,"name":"F",
        "window_properties":{"class":"XTerm","instance":"xterm"},"nodes":[]}],
        "nodes":[{"id":5,"focused":true,"pid":77,"app_id":"foot","name":"~","nodes":[]}]}]}]}
      """
    let windows = try #require(SwayIPC.windows(in: Array(tree.utf8)))
    #expect(windows.map(\.id) == [5, 8])
    #expect(windows.map(\.appID) == ["foot", "XTerm"])
    #expect(windows[0].captured == CapturedFocus(processID: 77, name: "foot", windowID: 5, windowClass: "foot"))
    #expect(SwayIPC.windows(in: Array("nonsense".utf8)) == nil)
  }

  @Test("B-72 Insert and the modifiers are in one place on every layout; a letter is meant by its place")
  func keyCodes() {
    #expect(KeyCodes.code(of: "Insert") == 110)
    #expect(KeyCodes.code(of: "v") == 47)
    #expect(KeyCodes.code(of: "q") == 16)
    #expect(KeyCodes.code(of: "l") == 38)
    #expect(KeyCodes.code(of: "F1") == 59)
    #expect(KeyCodes.code(of: "F12") == 88)
    #expect(KeyCodes.code(of: "Multi_key") == nil)
  }

  @Test("no permission, or no such node: there is no keyboard of ours")
  func noUinput() {
    #expect(!UinputKeyboard.isAllowed("/nowhere/uinput"))
    #expect(throws: Errno.self) { try UinputKeyboard(node: "/nowhere/uinput") }
    #expect(throws: Errno.self) { try UinputKeyboard(node: "/dev/null") }
  }

  @Test("every notice has a name of its own and says what is with the text")
  func notices() {
    #expect(Set(WaylandNotice.allCases.map(\.name)).count == WaylandNotice.allCases.count)
    for notice in WaylandNotice.allCases {
      #expect(notice.message.hasSuffix("."))
      #expect(notice.message.contains("text"))
    }
  }

  @Test("the status says by which way text is pasted, or what to do")
  func status() {
    var status = WaylandStatus(display: "wayland-1")
    #expect(status.remedy?.contains("import-environment") == true)
    status.isReachable = true
    #expect(status.remedy == "sudo apt-get install wl-clipboard")
    status.hasClipboard = true
    #expect(status.message.contains(PasteKeys.remedy))
    status.keys = .uinput
    #expect(status.canPaste && status.remedy == nil)
    #expect(status.message.contains("/dev/uinput"))
    status.keys = .wtype
    #expect(status.message.contains("wtype"))
  }
}
