import CX11
import Synchronization

@testable import BlurtInjection

/// A clipboard manager: takes the clipboard over when an owner that leaves asks it to.
final class ClipboardManager: XProgram, @unchecked Sendable {
  let window: Window
  // On the thread.
  private var pending: XSelectionRequestEvent?
  private var kept: [UInt8]?

  init() throws {
    _ = X11Handlers.install
    guard let display = XOpenDisplay(X11Rig.displayName) else { throw NoDisplay() }
    window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    try super.init(adopting: display)
    XSetSelectionOwner(display, atom("CLIPBOARD_MANAGER"), window, Time(CurrentTime))
    XSync(display, 0)
    try start()
  }

  override func handle(_ event: inout XEvent) {
    switch event.type {
    case SelectionRequest where event.xselectionrequest.selection == atom("CLIPBOARD_MANAGER"):
      pending = event.xselectionrequest
      XConvertSelection(display, atom("CLIPBOARD"), atom("UTF8_STRING"), atom("KEPT"), window, 0)
    case SelectionNotify:
      kept = take(window, atom("KEPT"))?.bytes
      XSetSelectionOwner(display, atom("CLIPBOARD"), window, Time(CurrentTime))
      if let pending { notify(pending, pending.property) }
    case SelectionRequest:
      let request = event.xselectionrequest
      let isText = request.target == atom("UTF8_STRING")
      if isText { setBytes(request.requestor, request.property, request.target, kept ?? []) }
      notify(request, isText ? request.property : 0)
    default: break
    }
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
