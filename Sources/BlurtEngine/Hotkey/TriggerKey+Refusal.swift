extension TriggerKey {
  /// Why a word names no key that can dictate, and what to write instead; nil where it names one (B-09).
  ///
  /// A clause without a full stop, to stand in a sentence.
  public static func refusal(of text: String) -> String? {
    guard TriggerKey(text) == nil else { return nil }
    let given = "\"" + text.prefix(maxUTF8Bytes: 64) + "\""
    let code = Int(text)
    if clickButtons.contains(where: { $0.code == code || isName(text, of: $0.name) }) {
      return "\(given) is a button that every click needs; take BTN_SIDE, BTN_EXTRA or a key"
    }
    if writingKeys.contains(where: { $0.code == code || isName(text, of: $0.name) }) {
      return "\(given) writes or moves the cursor in the window as well, again and again while it is held; take a key "
        + "that writes nothing, such as \(TriggerKey.default.name) or KEY_F13"
    }
    let near = nearest(to: folded(text))
    if !near.isEmpty {
      return "\(given) is no key that can dictate; perhaps \(SettingDescription.list(near)) was meant"
    }
    return "\(given) is no key that can dictate; usual are \(offered.map(\.name).joined(separator: ", ")), KEY_F13"
  }

  /// The left, right and middle button.
  package static let clickButtons: [(code: Int, name: String)] = [
    (272, "BTN_LEFT"), (273, "BTN_RIGHT"), (274, "BTN_MIDDLE"),
  ]

  /// Keys that write, delete or move the cursor.
  package static let writingKeys: [(code: Int, name: String)] = {
    let rows: [(first: Int, names: String)] = [
      (1, "ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE ENTER"),
      (30, "A S D F G H J K L SEMICOLON APOSTROPHE GRAVE"), (43, "BACKSLASH Z X C V B N M COMMA DOT SLASH"),
      (55, "KPASTERISK"), (57, "SPACE"), (71, "KP7 KP8 KP9 KPMINUS KP4 KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT"),
      (86, "102ND"), (96, "KPENTER"), (98, "KPSLASH"),
      (102, "HOME UP PAGEUP LEFT RIGHT END DOWN PAGEDOWN INSERT DELETE"),
      (117, "KPEQUAL"), (121, "KPCOMMA"),
    ]
    return rows.flatMap { first, names in
      names.split(separator: " ").enumerated().map { (first + $0.offset, "KEY_" + $0.element) }
    }
  }()

  /// At most three names that were perhaps meant: a third of the letters may be wrong.
  private static func nearest(to wanted: String) -> [String] {
    guard wanted.count >= 3, Int(wanted) == nil else { return [] }
    let limit = max(1, min(3, wanted.count / 3))
    let found = all.map { key in
      (key: key, distance: min(distance(wanted, folded(key.name)), distance(wanted, folded(key.label))))
    }
    guard let best = found.map(\.distance).min(), best <= limit else { return [] }
    return found.filter { $0.distance == best }.prefix(3).map(\.key.name)
  }

  /// How many letters must be put in, left out, changed or swapped with their neighbour.
  private static func distance(_ one: String, _ other: String) -> Int {
    let (a, b) = (Array(one), Array(other))
    var before: [Int] = []
    var above = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, above) = (above, row)
    }
    return above[b.count]
  }
}
