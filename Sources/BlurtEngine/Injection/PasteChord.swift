/// The keys that make a program paste: some modifiers and one key, both by name and not by position.
public struct PasteChord: Sendable, Hashable {
  /// A modifier a chord can carry.
  public enum Modifier: String, Sendable, Hashable, CaseIterable {
    case control = "ctrl"
    case shift
    case alt
    case `super`
  }

  /// In the order of `Modifier.allCases`, each once.
  public let modifiers: [Modifier]
  /// The X keysym name of the key: `v`, `Insert`, `F5`.
  public let key: String

  public init(_ modifiers: Set<Modifier>, _ key: String) {
    self.modifiers = Modifier.allCases.filter(modifiers.contains)
    self.key = key
  }

  /// What most programs take.
  public static let controlV = PasteChord([.control], "v")
  /// What most terminals take.
  public static let controlShiftV = PasteChord([.control, .shift], "v")
  /// What old terminals take, and what works on a layout that has no `v`. Pastes PRIMARY in some programs.
  public static let shiftInsert = PasteChord([.shift], "Insert")

  /// Whether the program may answer this chord with PRIMARY, so that PRIMARY must hold the text as well.
  public var mayPastePrimary: Bool { self == .shiftInsert }

  /// Reads `ctrl+shift+v`. Case and blanks around the parts do not matter; nil for anything that is not a chord.
  public init?(parsing description: String) {
    let parts = description.split(separator: "+", omittingEmptySubsequences: false).map { part in
      String(part.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
    guard let key = parts.last, Self.isKeyName(key) else { return nil }
    var modifiers: Set<Modifier> = []
    for part in parts.dropLast() {
      let name = part.lowercased()
      guard let modifier = Modifier(rawValue: name == "control" ? "ctrl" : name) else { return nil }
      modifiers.insert(modifier)
    }
    self.init(modifiers, Self.canonicalKey(key))
  }

  private static func isKeyName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) || $0 == 0x5f }
  }

  /// A letter is a key, not a character: `V` and `v` are the same key. `insert` is what people write for `Insert`.
  private static func canonicalKey(_ name: String) -> String {
    if name.count == 1 || name.lowercased() == "insert" {
      let lower = name.lowercased()
      return lower == "insert" ? "Insert" : lower
    }
    return name
  }
}

extension PasteChord: CustomStringConvertible {
  /// The form that `init(parsing:)` reads.
  public var description: String { (modifiers.map(\.rawValue) + [key]).joined(separator: "+") }
}
