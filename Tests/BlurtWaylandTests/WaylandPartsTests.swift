import BlurtEngine
import BlurtOS
import Testing

@testable import BlurtWayland

@Suite("What the compositor and the programs say") struct WaylandPartsTests {
  @Test("the interfaces of a compositor are known when its answer is whole")
  func globals() {
    let answer = FakeCompositor.answer(["wl_seat", "zwp_virtual_keyboard_manager_v1", "wl_shm", "four"])
    let whole = interfaces(answer)
    #expect(whole?.map(\.interface) == ["wl_seat", "zwp_virtual_keyboard_manager_v1", "wl_shm", "four"])
    #expect(whole?.map(\.number) == [0, 1, 2, 3])
    #expect(whole?.map(\.version) == [1, 1, 1, 1])
    for count in 0..<(answer.count - 12) { #expect(interfaces(Array(answer.prefix(count))) == nil) }
  }

  @Test("bytes that no compositor sends are no answer")
  func garbage() {
    func bytes(_ words: [UInt32]) -> [UInt8] { words.flatMap { withUnsafeBytes(of: $0, Array.init) } }
    #expect(interfaces(bytes([2, 4 << 16])) == nil)
    // A name that says it is longer than its message.
    #expect(interfaces(bytes([2, 16 << 16, 1, 4_000_000_000, 3, 12 << 16, 0])) == [])
  }

  private func interfaces(_ bytes: [UInt8]) -> [WaylandGlobals.Global]? {
    WaylandMessage.list(bytes, before: 3)?.messages.compactMap(WaylandGlobals.Global.init)
  }

  @Test("C-51 a selection is empty if the compositor tells of no offer, or of none at all, as KWin does")
  func selections() {
    func told(_ opcode: UInt32, _ offer: UInt32) -> WaylandMessage {
      WaylandMessage(object: 6, opcode: opcode, body: WaylandMessage.word(offer))
    }
    let offer = told(0, 0xff00_0000)
    #expect(WaylandSelections.held([], device: 6) == [])
    #expect(WaylandSelections.held([offer, told(1, 0xff00_0000)], device: 6) == [.clipboard])
    #expect(WaylandSelections.held([offer, told(3, 0xff00_0000), told(1, 0)], device: 6) == [.primary])
    #expect(WaylandSelections.held([offer, told(1, 0xff00_0000), told(1, 0)], device: 6) == [])
    // The device is taken away, or the compositor refuses.
    #expect(WaylandSelections.held([told(2, 0)], device: 6) == nil)
    #expect(WaylandSelections.held([WaylandMessage(object: 1, opcode: 0, body: [])], device: 6) == nil)
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

  @Test(
    "C-52 a form says all if the others are names of the same text, or formats of the same picture",
    arguments: [
      ("UTF8_STRING", ["TARGETS", "text/plain", "UTF8_STRING", "text/plain;charset=utf-8", "STRING"], true),
      ("UTF8_STRING", ["UTF8_STRING", "text/html"], false), ("image/png", ["image/bmp", "image/png"], true),
      ("image/png", ["text/html", "image/png"], false), ("text/uri-list", ["text/uri-list", "text/plain"], false),
      ("application/x-own", ["application/x-own", "TIMESTAMP"], true),
    ])
  func isWhole(_ type: String, _ types: [String], _ isWhole: Bool) {
    #expect(WaylandClipboard.isWhole(type, of: types) == isWhole)
  }

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

  @Test("the keyboard has every key that a chord can have: the kernel drops the others, and Super+V would type v")
  func everyKeyIsThere() {
    for modifier in PasteChord.Modifier.allCases { #expect(KeyCodes.all.contains(KeyCodes.code(of: modifier))) }
    let names = "abcdefghijklmnopqrstuvwxyz".map(String.init) + (1...12).map { "F\($0)" } + ["Insert"]
    for name in names { #expect(KeyCodes.code(of: name).map { KeyCodes.all.contains($0) } == true) }
    // What udev calls a keyboard has the first 31 keys.
    #expect(Set(1...31).isSubset(of: KeyCodes.all))
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
    #expect(status.message.contains("/dev/uinput") && status.remedy?.contains("uaccess") == true)
    status.takesVirtualKeys = true
    #expect(status.message.contains("wtype is missing") && status.remedy == "sudo apt-get install wtype")
    status.keys = .uinput
    #expect(status.canPaste && status.remedy == nil)
    #expect(status.message.contains("/dev/uinput"))
    status.keys = .wtype
    #expect(status.message.contains("wtype"))
  }
}
