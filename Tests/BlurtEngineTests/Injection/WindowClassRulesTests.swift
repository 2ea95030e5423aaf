import BlurtEngine
import Testing

@Suite("WindowClassRules")
struct WindowClassRulesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let instance: String
    let windowClass: String
    let kind: WindowKind
    let chord: PasteChord
    var testDescription: String { windowClass }
  }

  static let rows = [
    Row(instance: "Navigator", windowClass: "firefox", kind: .browser, chord: .controlV),
    Row(instance: "Navigator", windowClass: "firefox-esr", kind: .browser, chord: .controlV),
    Row(instance: "librewolf", windowClass: "librewolf", kind: .browser, chord: .controlV),
    Row(instance: "chromium", windowClass: "Chromium", kind: .browser, chord: .controlV),
    Row(instance: "google-chrome", windowClass: "Google-chrome", kind: .browser, chord: .controlV),
    Row(instance: "brave-browser", windowClass: "Brave-browser", kind: .browser, chord: .controlV),
    Row(instance: "microsoft-edge", windowClass: "Microsoft-edge", kind: .browser, chord: .controlV),
    Row(instance: "vivaldi-stable", windowClass: "Vivaldi-stable", kind: .browser, chord: .controlV),
    Row(instance: "opera", windowClass: "Opera", kind: .browser, chord: .controlV),
    Row(instance: "code", windowClass: "Code", kind: .electron, chord: .controlV),
    Row(instance: "codium", windowClass: "VSCodium", kind: .electron, chord: .controlV),
    Row(instance: "slack", windowClass: "Slack", kind: .electron, chord: .controlV),
    Row(instance: "discord", windowClass: "discord", kind: .electron, chord: .controlV),
    Row(instance: "obsidian", windowClass: "obsidian", kind: .electron, chord: .controlV),
    Row(instance: "element", windowClass: "Element", kind: .electron, chord: .controlV),
    Row(instance: "signal", windowClass: "Signal", kind: .electron, chord: .controlV),
    Row(instance: "sublime_text", windowClass: "Sublime_text", kind: .customDrawn, chord: .controlV),
    Row(instance: "sublime_merge", windowClass: "Sublime_merge", kind: .customDrawn, chord: .controlV),
    Row(instance: "dev.zed.Zed", windowClass: "dev.zed.Zed", kind: .customDrawn, chord: .controlV),
    Row(instance: "emacs", windowClass: "Emacs", kind: .customDrawn, chord: .shiftInsert),
    Row(instance: "gnome-terminal-server", windowClass: "Gnome-terminal", kind: .terminal, chord: .controlShiftV),
    Row(instance: "konsole", windowClass: "konsole", kind: .terminal, chord: .controlShiftV),
    Row(instance: "Alacritty", windowClass: "Alacritty", kind: .terminal, chord: .controlShiftV),
    Row(instance: "kitty", windowClass: "kitty", kind: .terminal, chord: .controlShiftV),
    Row(instance: "foot", windowClass: "foot", kind: .terminal, chord: .controlShiftV),
    Row(instance: "org.wezfurlong.wezterm", windowClass: "wezterm", kind: .terminal, chord: .controlShiftV),
    Row(instance: "tilix", windowClass: "Tilix", kind: .terminal, chord: .controlShiftV),
    Row(instance: "terminator", windowClass: "Terminator", kind: .terminal, chord: .controlShiftV),
    Row(instance: "xfce4-terminal", windowClass: "Xfce4-terminal", kind: .terminal, chord: .controlShiftV),
    Row(instance: "xterm", windowClass: "XTerm", kind: .primaryTerminal, chord: .shiftInsert),
    Row(instance: "uxterm", windowClass: "UXTerm", kind: .primaryTerminal, chord: .shiftInsert),
    Row(instance: "urxvt", windowClass: "URxvt", kind: .primaryTerminal, chord: .shiftInsert),
    Row(instance: "pterm", windowClass: "Pterm", kind: .primaryTerminal, chord: .shiftInsert),
    Row(instance: "zutty", windowClass: "Zutty", kind: .primaryTerminal, chord: .shiftInsert),
    Row(instance: "gedit", windowClass: "Gedit", kind: .other, chord: .controlV),
  ]

  private func rule(
    _ instance: String?, _ windowClass: String?, process: String? = nil, chords: [String: String] = [:],
    program: ProgramTraits = ProgramTraits()
  ) -> PasteRule {
    let names = WindowClassRules.Names(instance: instance, windowClass: windowClass, processName: process)
    return WindowClassRules(chords: chords).rule(for: names, program: program)
  }

  @Test("C-64 C-65 C-66 C-67 C-68 C-70 B-85 the chord follows the window's class", arguments: rows)
  func table(_ row: Row) {
    #expect(rule(row.instance, row.windowClass) == PasteRule(kind: row.kind, chord: row.chord))
  }

  @Test("C-60 every listed class is opaque, and only the rest is tested for a field", arguments: WindowKind.allCases)
  func opaque(_ kind: WindowKind) {
    #expect(kind.isOpaque == (kind != .other))
    #expect(kind.isTerminal == (kind == .terminal || kind == .primaryTerminal))
  }

  @Test("C-65 a process that maps an Electron runtime is one, whatever its class, unless the table knows better")
  func electronByMap() {
    #expect(rule("acme", "Acme", program: ProgramTraits(isElectron: true)).kind == .electron)
    #expect(rule("acme", "Acme").kind == .other)
    #expect(rule("kitty", "kitty", program: ProgramTraits(isElectron: true)).kind == .terminal)
  }

  @Test("C-68 only Shift+Insert needs PRIMARY as well")
  func primary() {
    #expect(PasteChord.shiftInsert.mayPastePrimary)
    #expect(!PasteChord.controlShiftV.mayPastePrimary)
    #expect(!PasteChord.controlV.mayPastePrimary)
  }

  @Test("B-82 without WM_CLASS the program's name decides; with it the name does not")
  func processName() {
    #expect(rule(nil, nil, process: "konsole").kind == .terminal)
    #expect(rule("", "", process: "xterm").kind == .primaryTerminal)
    #expect(rule("gedit", "Gedit", process: "konsole").kind == .other)
    #expect(rule(nil, nil).kind == .other)
  }

  @Test("a prefix matches only where the table says so")
  func prefixes() {
    #expect(rule("xterm-like", "XTermLike").kind == .other)
    #expect(rule("chromium-browser", "Chromium-browser").kind == .browser)
  }

  @Test("B-87 the user's chord for a class is obeyed, and never means never")
  func overrides() {
    let chords = ["emacs": "ctrl+y", "Gimp*": "never", "gimp-console": " Shift + insert "]
    #expect(rule("emacs", "Emacs", chords: chords).chord == PasteChord([.control], "y"))
    #expect(rule("gimp-2.10", "Gimp-2.10", chords: chords).chord == nil)
    #expect(rule("gimp-console", "x", chords: chords).chord == .shiftInsert)
    #expect(rule("gedit", "Gedit", chords: chords).chord == .controlV)
  }

  @Test("an entry that is no chord is left out and can be told beforehand")
  func invalid() {
    #expect(rule("gedit", "Gedit", chords: ["gedit": "hyper+v"]).chord == .controlV)
    #expect(!WindowClassRules.isValid("hyper+v"))
    #expect(!WindowClassRules.isValid("ctrl+"))
    #expect(!WindowClassRules.isValid(""))
    #expect(!WindowClassRules.isValid("ctrl+v;rm"))
    #expect(WindowClassRules.isValid("Never"))
    #expect(WindowClassRules.isValid("Control+Shift+V"))
  }

  @Test(
    "a chord reads back as it is written",
    arguments: [
      PasteChord.controlV, .controlShiftV, .shiftInsert, PasteChord([.super, .alt], "F5"),
    ])
  func roundTrip(_ chord: PasteChord) {
    #expect(PasteChord(parsing: chord.description) == chord)
  }

  @Test("B-83 a window of an unknown class that shows a terminal gets Shift+Insert, and its lines are one")
  func unknownTerminal() {
    let program = ProgramTraits(hasTerminals: true)
    #expect(rule("acme", "Acme", program: program) == PasteRule(kind: .primaryTerminal, chord: .shiftInsert))
    #expect(rule(nil, nil, program: program).kind.isTerminal)
    #expect(rule("kitty", "kitty", program: program).chord == .controlShiftV)
    #expect(rule("acme", "Acme", program: ProgramTraits(isElectron: true, hasTerminals: true)).kind == .electron)
  }

  @Test(
    "B-85 an editor with a terminal inside stays an editor",
    arguments: ["Kate", "org.kde.dolphin", "Geany", "jetbrains-idea", "Gvim", "Emacs", "Code"])
  func editorWithTerminal(_ windowClass: String) {
    #expect(!rule(nil, windowClass, program: ProgramTraits(hasTerminals: true)).kind.isTerminal)
  }

  @Test("B-87 what runs in front in a terminal has its own chord or none, before that of the terminal")
  func foreground() {
    let chords = ["xterm": "ctrl+shift+v", "vim": "never", "emacs*": "ctrl+y"]
    func chord(_ front: String?, _ windowClass: String = "XTerm") -> PasteChord? {
      rule(nil, windowClass, chords: chords, program: ProgramTraits(hasTerminals: true, foregroundProgram: front)).chord
    }
    #expect(chord("vim") == nil)
    #expect(chord("emacs-nox") == PasteChord([.control], "y"))
    #expect(chord("bash") == .controlShiftV)
    #expect(chord(nil) == .controlShiftV)
    // Not a terminal: what it may have started is no matter.
    #expect(chord("vim", "Gedit") == .controlV)
  }
}
