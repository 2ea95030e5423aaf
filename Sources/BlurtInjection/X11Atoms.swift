internal import BlurtEngine
internal import CX11

/// The atoms that are used, interned in one request when the connection is made.
struct X11Atoms {
  enum Name: String, CaseIterable {
    case clipboard = "CLIPBOARD"
    case clipboardManager = "CLIPBOARD_MANAGER"
    case saveTargets = "SAVE_TARGETS"
    case targets = "TARGETS"
    case timestamp = "TIMESTAMP"
    case multiple = "MULTIPLE"
    case incremental = "INCR"
    case atomPair = "ATOM_PAIR"
    case null = "NULL"
    case tkWindow = "TK_WINDOW"
    case delete = "DELETE"
    case insertSelection = "INSERT_SELECTION"
    case insertProperty = "INSERT_PROPERTY"
    case utf8String = "UTF8_STRING"
    case text = "TEXT"
    case plainText = "text/plain"
    case plainTextUTF8 = "text/plain;charset=utf-8"
    case png = "image/png"
    case html = "text/html"
    case uriList = "text/uri-list"
    case copiedFiles = "x-special/gnome-copied-files"
    case passwordHint = "x-kde-passwordManagerHint"
    case activeWindow = "_NET_ACTIVE_WINDOW"
    case currentDesktop = "_NET_CURRENT_DESKTOP"
    case windowDesktop = "_NET_WM_DESKTOP"
    case supportingCheck = "_NET_SUPPORTING_WM_CHECK"
    case windowName = "_NET_WM_NAME"
    case windowProcess = "_NET_WM_PID"
    case clientMachine = "WM_CLIENT_MACHINE"
    case windowType = "_NET_WM_WINDOW_TYPE"
    case desktopType = "_NET_WM_WINDOW_TYPE_DESKTOP"
    case dockType = "_NET_WM_WINDOW_TYPE_DOCK"
    case windowState = "WM_STATE"
    /// On a window that names no process: the last text was pasted there, by the connection whose window it holds. It goes
    /// with the window, so it tells a new one of the same number apart.
    case pasted = "_BLURT_PASTED"
    /// On our window: changed to learn the server's time.
    case clock = "_BLURT_CLOCK"
    /// On our window: the targets a clipboard manager is asked to save.
    case handover = "_BLURT_HANDOVER"
    /// On the root window while the paste keys are down: their keycodes. Another identity's daemon has a property of its
    /// own, so that neither lets go of the other's keys.
    case chord = "_BLURT_CHORD"
  }

  private let named: [Name: Atom]
  /// Properties of our window that receive the old clipboard, one per target; `LandingProperties` lends them.
  let landing: [Atom]

  /// Interns them all: one round trip.
  init(_ display: OpaquePointer) {
    let own = HostIdentity.current.keychainService.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    let names =
      Name.allCases.map { $0 == .chord ? "_\(own)_CHORD" : $0.rawValue }
      + (0..<Self.landingCount).map { "_BLURT_LANDING_\($0)" }
    let atoms = Self.intern(names, display)
    named = Dictionary(uniqueKeysWithValues: zip(Name.allCases, atoms))
    landing = Array(atoms.dropFirst(Name.allCases.count))
  }

  subscript(_ name: Name) -> Atom { named[name] ?? 0 }

  func all(_ names: [Name]) -> [Atom] { names.map { self[$0] } }

  /// For two readers side by side, each with a list and as many targets as it asks for, and some that slow owners still
  /// hold.
  private static let landingCount = 2 * (SelectionReader.targetLimit + 1) + 62

  private static func intern(_ names: [String], _ display: OpaquePointer) -> [Atom] {
    var pointers: [UnsafeMutablePointer<CChar>?] = names.map { name in
      let bytes = Array(name.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      copy.initialize(from: bytes, count: bytes.count)
      return copy
    }
    defer { for pointer in pointers { pointer?.deallocate() } }
    var atoms = [Atom](repeating: 0, count: names.count)
    XInternAtoms(display, &pointers, Int32(names.count), 0, &atoms)
    return atoms
  }
}
