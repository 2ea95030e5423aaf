internal import BlurtEngine
internal import BlurtOS
internal import CX11
internal import Glibc

extension X11Connection {
  /// Connects if there is a display.
  func connect() -> Bool { openSession() != nil }

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
      names.processName = Self.programName(session.windows.processID(of: window))
    }
    return names
  }

  /// `/proc/PID/comm`, which the kernel cuts to 15 bytes.
  private static func programName(_ processID: Int32) -> String? {
    guard processID > 0, let file = try? FileDescriptor.open("/proc/\(processID)/comm", O_RDONLY) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      guard let count = try? file.read(into: buffer), count > 0 else { return nil }
      let bytes = buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
  }
}
