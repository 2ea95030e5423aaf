import CX11
import Synchronization

@testable import BlurtInjection

/// A clipboard manager: takes the clipboard over when an owner that leaves asks it to.
final class ClipboardManager: XProgram, @unchecked Sendable {
  let window: Window
  /// Fetches everything that it is asked to save in one request, as GNOME's does, and not the text alone.
  private let takesMultiple: Bool
  private let saved = Mutex<[String: [UInt8]]>([:])
  // On the thread.
  private var pending: XSelectionRequestEvent?
  private var wanted: [Atom] = []
  private var incremental: [Atom: [UInt8]] = [:]

  /// What it has taken over, by target.
  var kept: [String: [UInt8]] { saved.withLock { $0 } }

  init(takesMultiple: Bool = false) throws {
    self.takesMultiple = takesMultiple
    _ = X11Handlers.install
    guard let display = XOpenDisplay(X11Rig.displayName) else { throw NoDisplay() }
    window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    XSelectInput(display, window, PropertyChangeMask)
    try super.init(adopting: display)
    XSetSelectionOwner(display, atom("CLIPBOARD_MANAGER"), window, Time(CurrentTime))
    XSync(display, 0)
    try start()
  }

  override func handle(_ event: inout XEvent) {
    switch event.type {
    case SelectionRequest where event.xselectionrequest.selection == atom("CLIPBOARD_MANAGER"):
      save(event.xselectionrequest)
    case SelectionNotify where event.xselection.target == atom("MULTIPLE"):
      for target in wanted { fetched(target) }
    case SelectionNotify: fetched(event.xselection.target)
    case PropertyNotify where event.xproperty.state == PropertyNewValue: piece(event.xproperty.atom)
    case SelectionRequest: serve(event.xselectionrequest)
    default: break
    }
  }

  /// Each target lands in the property of its own name.
  private func save(_ request: XSelectionRequestEvent) {
    pending = request
    wanted = [atom("UTF8_STRING")]
    guard takesMultiple else {
      XConvertSelection(display, atom("CLIPBOARD"), wanted[0], wanted[0], window, 0)
      return
    }
    wanted = take(request.requestor, request.property, delete: false)?.words ?? []
    setWords(window, atom("PAIRS"), atom("ATOM_PAIR"), wanted.flatMap { [$0, $0] })
    XConvertSelection(display, atom("CLIPBOARD"), atom("MULTIPLE"), atom("PAIRS"), window, 0)
  }

  private func fetched(_ target: Atom) {
    guard wanted.contains(target) else { return }
    let value = take(window, target)
    if value?.type == "INCR" { incremental[target] = [] } else { keep(target, value?.bytes) }
  }

  private func piece(_ property: Atom) {
    guard let soFar = incremental[property], let piece = take(window, property) else { return }
    incremental[property] = piece.bytes.isEmpty ? nil : soFar + piece.bytes
    if piece.bytes.isEmpty { keep(property, soFar) }
  }

  private func keep(_ target: Atom, _ bytes: [UInt8]?) {
    let name = name(of: target)
    saved.withLock { $0[name] = bytes }
    wanted.removeAll { $0 == target }
    guard wanted.isEmpty, let pending else { return }
    XSetSelectionOwner(display, atom("CLIPBOARD"), window, Time(CurrentTime))
    notify(pending, pending.property)
    self.pending = nil
  }

  private func serve(_ request: XSelectionRequestEvent) {
    let bytes = saved.withLock { $0[name(of: request.target)] }
    if let bytes { setBytes(request.requestor, request.property, request.target, bytes) }
    notify(request, bytes == nil ? 0 : request.property)
  }

  private func notify(_ request: XSelectionRequestEvent, _ property: Atom) {
    var event = XEvent()
    event.xselection.type = SelectionNotify
    event.xselection.requestor = request.requestor
    event.xselection.selection = request.selection
    event.xselection.target = request.target
    event.xselection.property = property
    event.xselection.time = request.time
    XSendEvent(display, request.requestor, 0, 0, &event)
  }
}
