internal import CX11

/// What a selection offers: one entry per target.
struct ClipboardContents {
  /// The data of one target, as Xlib keeps it in memory.
  struct Representation {
    let target: Atom
    let type: Atom
    let format: Int32
    let itemCount: Int
    let bytes: [UInt8]
  }

  /// Why the contents are there.
  enum Purpose: Hashable {
    /// The text of a paste, to be replaced by the old contents. The number tells pastes apart.
    case transient(UInt64)
    /// Text left for the user, or old contents that have come back.
    case lasting
  }

  var representations: [Representation]
  var purpose: Purpose
  /// C-76: histories are asked not to keep it.
  var isHiddenFromHistories: Bool

  /// A text in the encodings that ICCCM and the desktops know (C-72).
  static func text(_ text: String, purpose: Purpose, hidden: Bool, atoms: X11Atoms) -> Self {
    let utf8 = Array(text.utf8)
    // STRING is Latin-1 by definition; what it lacks becomes a question mark.
    let latin1 = text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    func entry(_ target: Atom, _ type: Atom, _ bytes: [UInt8]) -> Representation {
      Representation(target: target, type: type, format: 8, itemCount: bytes.count, bytes: bytes)
    }
    let utf8String = atoms[.utf8String]
    return ClipboardContents(
      representations: [
        entry(utf8String, utf8String, utf8),
        entry(atoms[.plainTextUTF8], atoms[.plainTextUTF8], utf8),
        entry(atoms[.plainText], atoms[.plainText], utf8),
        entry(atoms[.text], utf8String, utf8),
        entry(Atom(XA_STRING), Atom(XA_STRING), latin1),
      ],
      purpose: purpose, isHiddenFromHistories: hidden)
  }

  subscript(_ target: Atom) -> Representation? { representations.first { $0.target == target } }
}

/// What a selection held before a paste (C-50, C-51).
enum ClipboardSnapshot {
  /// Nobody owned it.
  case empty
  case contents([ClipboardContents.Representation])
  /// It could not be read; it must not be treated as empty.
  case unknown(InjectionNotice.Loss)

  var loss: InjectionNotice.Loss? {
    if case .unknown(let loss) = self { loss } else { nil }
  }
}
