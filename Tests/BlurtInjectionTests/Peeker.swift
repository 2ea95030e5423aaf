import BlurtOS
import CX11
import Synchronization
import Testing

@testable import BlurtInjection

/// Another program that reads selections, presses keys and looks around.
final class Peeker: XProgram, @unchecked Sendable {
  let window: Window
  private let isMultipleAnswered = Atomic<Bool>(false)
  // On the thread.
  private var replies: [UInt64: CheckedContinuation<Value?, Never>] = [:]
  private var reading: (landing: Atom, number: UInt64, pieces: Value?)?
  private var lastNumber: UInt64 = 0

  init(displayName: String = X11Rig.displayName) throws {
    _ = X11Handlers.install
    guard let display = XOpenDisplay(displayName) else { throw NoDisplay() }
    window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    XSelectInput(display, window, PropertyChangeMask)
    try super.init(adopting: display)
    try start()
  }

  /// What a selection gives for a target; nil where it is refused or not answered in 60 s.
  func read(_ target: String, from selection: String = "CLIPBOARD", at time: Time = 0) async -> Value? {
    await withCheckedContinuation { continuation in
      perform { [self] in
        lastNumber += 1
        let number = lastNumber
        replies[number] = continuation
        let landing = atom("PEEK_\(number % 16)")
        reading = (landing, number, nil)
        XConvertSelection(display, atom(selection), atom(target), landing, window, time)
        after(.seconds(60)) { [self] in reply(number, nil) }
      }
    }
  }

  func text(from selection: String = "CLIPBOARD") async -> String? { await read("UTF8_STRING", from: selection)?.text }

  func targets(of selection: String = "CLIPBOARD") async -> [String] {
    guard let value = await read("TARGETS", from: selection) else { return [] }
    return await run { [self] in value.words.map { name(of: $0) } }
  }

  func owner(of selection: String = "CLIPBOARD") async -> Window {
    await run { [self] in XGetSelectionOwner(display, atom(selection)) }
  }

  /// Asks for several targets in one request; nil for those that were refused.
  func readMultiple(_ targets: [String]) async -> [String?] {
    await run { [self] in
      let pairs = targets.enumerated().flatMap { [atom($1), atom("PAIR_\($0)")] }
      setWords(window, atom("PAIRS"), atom("ATOM_PAIR"), pairs)
    }
    isMultipleAnswered.store(false, ordering: .releasing)
    await run { [self] in
      _ = XConvertSelection(display, atom("CLIPBOARD"), atom("MULTIPLE"), atom("PAIRS"), window, 0)
    }
    try? await eventually("MULTIPLE is answered") { self.isMultipleAnswered.load(ordering: .acquiring) }
    return await run { [self] in
      let pairs = take(window, atom("PAIRS"))?.words ?? []
      return stride(from: 1, to: pairs.count, by: 2).map { index in
        pairs[index] == 0 ? nil : take(window, pairs[index])?.text
      }
    }
  }

  private func reply(_ number: UInt64, _ value: Value?) {
    if reading?.number == number { reading = nil }
    replies.removeValue(forKey: number)?.resume(returning: value)
  }

  override func handle(_ event: inout XEvent) {
    switch event.type {
    case SelectionNotify where event.xselection.target == atom("MULTIPLE"):
      isMultipleAnswered.store(true, ordering: .releasing)
    case SelectionNotify:
      guard let reading else { return }
      guard event.xselection.property == reading.landing, let value = take(window, reading.landing) else {
        return reply(reading.number, nil)
      }
      if value.type == "INCR" {
        self.reading?.pieces = Value(type: "", format: 8, bytes: [])
      } else {
        reply(reading.number, value)
      }
    case PropertyNotify where event.xproperty.state == PropertyNewValue:
      guard let reading, event.xproperty.atom == reading.landing, var soFar = reading.pieces,
        let piece = take(window, reading.landing)
      else { return }
      if piece.bytes.isEmpty { return reply(reading.number, soFar) }
      soFar.type = piece.type
      soFar.bytes += piece.bytes
      self.reading?.pieces = soFar
    default: break
    }
  }

  // MARK: Keys

  /// Presses or releases a key by keysym name through XTest, as the user's keyboard would.
  func key(_ name: String, isDown: Bool) async {
    await run { [self] in
      let code = XKeysymToKeycode(display, XStringToKeysym(name))
      XTestFakeKeyEvent(display, UInt32(code), isDown ? 1 : 0, 0)
    }
  }

  func keysDownCount() async -> Int { await run { [self] in keysDown() } }

  /// The same on a keyboard other than XTest's: the server keeps apart what each of its keyboards holds down.
  func key(_ name: String, isDown: Bool, onDevice number: UInt) async {
    await run { [self] in
      var device = XDevice()
      device.device_id = number
      let code = XKeysymToKeycode(display, XStringToKeysym(name))
      XTestFakeDeviceKeyEvent(display, &device, UInt32(code), isDown ? 1 : 0, nil, 0, 0)
    }
  }

  /// The lights of the keyboard, one bit each.
  func lights() async -> UInt32 {
    await run { [self] in
      var lights: UInt32 = 0
      XkbGetIndicatorState(display, UInt32(XkbUseCoreKbd), &lights)
      return lights
    }
  }

  func lock(_ modifiers: Int32, isOn: Bool) async {
    await run { [self] in
      _ = XkbLockModifiers(
        display, UInt32(XkbUseCoreKbd), UInt32(modifiers), isOn ? UInt32(modifiers) : 0)
    }
  }

  func lockGroup(_ group: UInt32) async {
    await run { [self] in _ = XkbLockGroup(display, UInt32(XkbUseCoreKbd), group) }
  }

  /// The modifiers that count now: held, latched and locked.
  func modifiers() async -> UInt8 {
    await run { [self] in
      var state = XkbStateRec()
      XkbGetState(display, UInt32(XkbUseCoreKbd), &state)
      return state.mods
    }
  }

  func keyboardState() async -> (group: UInt8, locked: UInt8) {
    await run { [self] in
      var state = XkbStateRec()
      XkbGetState(display, UInt32(XkbUseCoreKbd), &state)
      return (state.group, state.locked_mods)
    }
  }
}
