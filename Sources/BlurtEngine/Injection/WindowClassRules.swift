/// What kind of program a window belongs to (C-64…C-70).
public enum WindowKind: String, Sendable, Hashable, CaseIterable {
  /// C-64.
  case browser
  /// C-65.
  case electron
  /// C-66: draws its own text fields.
  case customDrawn
  /// C-67: a terminal that pastes CLIPBOARD with Ctrl+Shift+V.
  case terminal
  /// C-68: a terminal that pastes PRIMARY with Shift+Insert.
  case primaryTerminal
  /// C-69, C-70.
  case other

  /// Whether accessibility cannot see into it, so that it is always pasted into (C-60).
  public var isOpaque: Bool { self != .other }

  /// Whether a newline in the text could run a command.
  public var isTerminal: Bool { self == .terminal || self == .primaryTerminal }
}

/// How to paste into one window.
public struct PasteRule: Sendable, Hashable {
  public let kind: WindowKind
  /// Nil: the user said never to paste there; the text stays on the clipboard.
  public let chord: PasteChord?

  public init(kind: WindowKind, chord: PasteChord?) {
    self.kind = kind
    self.chord = chord
  }
}

/// The table from window class to paste rule, with the user's own rules in front.
///
/// A class matches either string of WM_CLASS without regard to case. A pattern that ends in `*` matches a prefix.
public struct WindowClassRules: Sendable, Hashable {
  /// The names a window goes by, any of which may be missing.
  public struct Names: Sendable, Hashable {
    /// First string of WM_CLASS.
    public var instance: String?
    /// Second string of WM_CLASS.
    public var windowClass: String?
    /// The program's name; looked at only where WM_CLASS is missing altogether.
    public var processName: String?

    public init(instance: String? = nil, windowClass: String? = nil, processName: String? = nil) {
      self.instance = instance
      self.windowClass = windowClass
      self.processName = processName
    }

    fileprivate var candidates: [String] {
      let fromWindow = [windowClass, instance].compactMap(\.self).filter { !$0.isEmpty }
      return (fromWindow.isEmpty ? [processName].compactMap(\.self) : fromWindow).map { $0.lowercased() }
    }
  }

  /// What the user set for a class.
  private enum Override: Sendable, Hashable {
    case chord(PasteChord)
    case never
  }

  private var overrides: [String: Override] = [:]

  /// Whether the user has set anything.
  public var hasOverrides: Bool { !overrides.isEmpty }

  /// `chords` is the setting `BlurtPasteChords`: a class pattern to a chord (`ctrl+y`) or `never`. The pattern may as well
  /// be the name of a program that runs in a terminal window.
  ///
  /// An entry that is neither is left out; `isValid` tells beforehand.
  public init(chords: [String: String] = [:]) {
    for (pattern, value) in chords {
      if value.lowercased() == Self.never {
        overrides[pattern.lowercased()] = .never
      } else if let chord = PasteChord(parsing: value) {
        overrides[pattern.lowercased()] = .chord(chord)
      }
    }
  }

  /// The value that forbids pasting into a class.
  public static let never = "never"

  /// Whether a value of `BlurtPasteChords` can be obeyed.
  public static func isValid(_ value: String) -> Bool {
    value.lowercased() == never || PasteChord(parsing: value) != nil
  }

  /// The rule for a window, and for what is known of its program besides its names.
  public func rule(for names: Names, program: ProgramTraits = ProgramTraits()) -> PasteRule {
    let candidates = names.candidates
    let (kind, usual) = Self.builtIn(candidates, program)
    // What runs in a terminal says more than the terminal does.
    let front = kind.isTerminal ? [program.foregroundProgram?.lowercased()].compactMap(\.self) : []
    switch override(for: front) ?? override(for: candidates) {
    case .never: return PasteRule(kind: kind, chord: nil)
    case .chord(let chord): return PasteRule(kind: kind, chord: chord)
    case nil: return PasteRule(kind: kind, chord: usual)
    }
  }

  /// The most specific of the user's patterns that fit: the longest.
  private func override(for names: [String]) -> Override? {
    overrides.filter { pattern, _ in names.contains { Self.matches($0, pattern) } }
      .max { ($0.key.count, $0.key) < ($1.key.count, $1.key) }?.value
  }

  private static func builtIn(_ candidates: [String], _ program: ProgramTraits) -> (WindowKind, PasteChord) {
    for row in table where row.patterns.contains(where: { pattern in candidates.contains { matches($0, pattern) } }) {
      return (row.kind, row.chord)
    }
    if program.isElectron { return (.electron, .controlV) }
    // Ctrl+V belongs to the program inside a terminal, which may take it for something else (B-83); Shift+Insert pastes in
    // terminals and in editors that have one inside, wherever they take it from.
    return program.hasTerminals ? (.primaryTerminal, .shiftInsert) : (.other, .controlV)
  }

  private static func matches(_ name: String, _ pattern: String) -> Bool {
    pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
  }

  private struct Row: Sendable {
    let kind: WindowKind
    let chord: PasteChord
    let patterns: [String]
  }

  /// The first row that matches counts. All in lower case.
  private static let table: [Row] = [
    Row(
      kind: .primaryTerminal, chord: .shiftInsert,
      patterns: ["xterm", "uxterm", "urxvt", "rxvt", "st", "st-256color", "eterm", "aterm", "mlterm", "pterm", "zutty"]),
    Row(
      kind: .terminal, chord: .controlShiftV,
      patterns: [
        "gnome-terminal*", "org.gnome.terminal", "konsole", "org.kde.konsole", "yakuake", "alacritty", "kitty", "foot",
        "footclient", "wezterm*", "org.wezfurlong.wezterm", "tilix", "terminator", "xfce4-terminal", "guake", "tilda",
        "terminology", "qterminal", "lxterminal", "mate-terminal", "deepin-terminal", "cool-retro-term", "sakura",
        "termite", "roxterm", "ghostty", "com.mitchellh.ghostty", "kgx", "org.gnome.console", "org.gnome.ptyxis",
        "ptyxis", "rio", "contour", "io.elementary.terminal", "x-terminal-emulator",
      ]),
    Row(
      kind: .browser, chord: .controlV,
      patterns: [
        "firefox*", "librewolf", "chromium*", "google-chrome*", "brave-browser*", "microsoft-edge*", "vivaldi*",
        "opera", "navigator",
      ]),
    Row(
      kind: .electron, chord: .controlV,
      patterns: ["code", "codium", "vscodium", "slack", "discord", "obsidian", "element", "signal"]),
    Row(kind: .customDrawn, chord: .controlV, patterns: ["sublime_text", "sublime_merge", "dev.zed.zed"]),
    // Editors and file managers that show a terminal beside their own text: not what a window that holds one is otherwise.
    Row(
      kind: .other, chord: .controlV,
      patterns: [
        "kate", "org.kde.kate", "kwrite", "org.kde.kwrite", "kdevelop", "org.kde.kdevelop", "dolphin",
        "org.kde.dolphin",
        "geany", "gedit", "org.gnome.gedit", "pluma", "xed", "gnome-builder", "org.gnome.builder", "jetbrains-*",
        "eclipse", "qtcreator", "org.qt-project.qtcreator", "krusader", "nemo", "org.gnome.nautilus", "gvim", "spyder",
        "rstudio", "arduino*", "netbeans*", "codeblocks", "anjuta", "bluefish", "medit",
      ]),
    // Ctrl+V scrolls in Emacs; Shift+Insert yanks the clipboard.
    Row(kind: .customDrawn, chord: .shiftInsert, patterns: ["emacs"]),
  ]
}
