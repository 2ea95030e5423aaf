internal import BlurtEngine
internal import CX11

extension X11Connection {
  /// The window the user is in (C-33); nil where there is none or no display.
  func frontmost() -> CapturedFocus? {
    guard let session = openSession(), let window = session.windows.frontmost() else { return nil }
    let names = names(of: window, session)
    let processID = session.windows.processID(of: window)
    let name = names.windowClass ?? names.instance ?? names.processName ?? session.windows.title(of: window) ?? ""
    return CapturedFocus(
      processID: processID, name: name, windowID: UInt64(window),
      windowClass: session.windows.classes(of: window).windowClass)
  }

  /// The title of a window, at most 120 characters (C-80).
  func title(of focus: CapturedFocus?) -> String? {
    guard let session, let id = focus?.windowID else { return nil }
    return session.windows.title(of: Window(id))
  }

  /// What the window is called, with the program's name where WM_CLASS is missing.
  func names(of window: Window, _ session: Session) -> WindowClassRules.Names {
    let (instance, windowClass) = session.windows.classes(of: window)
    var names = WindowClassRules.Names(instance: instance, windowClass: windowClass)
    if instance == nil, windowClass == nil {
      names.processName = WindowProcess(id: session.windows.localProcessID(of: window)).name
    }
    return names
  }
}
