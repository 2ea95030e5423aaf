import CX11
import Synchronization

@testable import BlurtInjection

/// Another program that owns a selection, well-behaved or not.
final class ForeignOwner: XProgram, @unchecked Sendable {
  enum Manner: Sendable, Equatable {
    case normal
    /// Never answers anything.
    case silent
    /// Answers the list of targets and nothing else.
    case silentAfterTargets
    /// Gives its text for whatever is asked.
    case answersEverything
    /// Knows no list of targets.
    case withoutTargets
    /// Answers all but these.
    case silentOn(Set<String>)
    /// Answers the list at once, and everything else when it is let go.
    case heldBack
    /// Puts everything into one property, however large.
    case inOnePiece
    /// Announces pieces, sends one, and stops.
    case stallsInPieces
    /// Sends pieces without end.
    case endless
  }

  private struct Log {
    var asked: [String] = []
    var isOwner = false
  }

  let window: Window
  private let selectionName: String
  private let manner: Manner
  // On the thread.
  private var offers: [String: [UInt8]]
  private var held: [XSelectionRequestEvent] = []
  private let log = Mutex(Log())
  // On the thread: data in pieces, by property of the requestor.
  private var outgoing: [Atom: (window: Window, type: Atom, rest: ArraySlice<UInt8>)] = [:]

  /// Data from this size on goes in pieces of 64 KiB.
  private static let incrementalSize = 128 << 10

  /// Every target that was asked for, in order.
  var asked: [String] { log.withLock { $0.asked } }
  var isOwner: Bool { log.withLock { $0.isOwner } }

  /// Owns the selection when it returns.
  init(_ offers: [String: [UInt8]], selection: String = "CLIPBOARD", manner: Manner = .normal) throws {
    self.offers = offers
    self.manner = manner
    selectionName = selection
    _ = X11Handlers.install
    guard let display = XOpenDisplay(X11Rig.displayName) else { throw NoDisplay() }
    window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
    try super.init(adopting: display)
    XSetSelectionOwner(display, atom(selection), window, Time(CurrentTime))
    XSync(display, 0)
    log.withLock { $0.isOwner = true }
    try start()
  }

  convenience init(text: String, manner: Manner = .normal, selection: String = "CLIPBOARD") throws {
    try self.init(
      ["UTF8_STRING": Array(text.utf8), "STRING": Array(text.utf8)], selection: selection, manner: manner)
  }

  /// Copies something else, as the same program would: the owner's window stays the same.
  func copy(_ offers: [String: [UInt8]]) async { await run { [self] in adopt(offers) } }

  /// Copies something else as Tk does, which says nothing to the server while the selection is its own.
  func copySilently(_ offers: [String: [UInt8]]) async { await run { [self] in self.offers = offers } }

  /// The same from a synchronous caller on another thread.
  func copyBlocking(text: String) {
    runBlocking { [self] in adopt(["UTF8_STRING": Array(text.utf8)]) }
  }

  private func adopt(_ offers: [String: [UInt8]]) {
    self.offers = offers
    XSetSelectionOwner(display, atom(selectionName), window, Time(CurrentTime))
    log.withLock { $0.isOwner = true }
  }

  /// Answers what was held back.
  func letGo() async {
    await run { [self] in
      for request in held { serve(request, name(of: request.target)) }
      held = []
    }
  }

  override func handle(_ event: inout XEvent) {
    switch event.type {
    case SelectionClear: log.withLock { $0.isOwner = false }
    case SelectionRequest: answer(event.xselectionrequest)
    case PropertyNotify where event.xproperty.state == PropertyDelete: sendNext(event.xproperty.atom)
    default: break
    }
  }

  private func answer(_ request: XSelectionRequestEvent) {
    let target = name(of: request.target)
    log.withLock { $0.asked.append(target) }
    switch manner {
    case .silent: return
    case .silentAfterTargets where target != "TARGETS": return
    case .silentOn(let targets) where targets.contains(target): return
    case .heldBack where target != "TARGETS": held.append(request)
    default: serve(request, target)
    }
  }

  private func serve(_ request: XSelectionRequestEvent, _ target: String) {
    var property = request.property
    if target == "TARGETS" {
      if manner == .withoutTargets {
        property = 0
      } else {
        let all = ["TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS"] + offers.keys.sorted()
        setWords(request.requestor, property, Atom(XA_ATOM), all.map(atom))
      }
    } else if let data = offers[target] ?? (manner == .answersEverything ? Array("whatever".utf8) : nil) {
      if manner != .inOnePiece, data.count >= Self.incrementalSize {
        XSelectInput(display, request.requestor, PropertyChangeMask)
        setWords(request.requestor, property, atom("INCR"), [UInt(data.count)])
        outgoing[property] = (request.requestor, request.target, data[...])
      } else {
        setBytes(request.requestor, property, request.target, data)
      }
    } else {
      property = 0
    }
    var event = XEvent()
    event.xselection.type = SelectionNotify
    event.xselection.requestor = request.requestor
    event.xselection.selection = request.selection
    event.xselection.target = request.target
    event.xselection.property = property
    event.xselection.time = request.time
    XSendEvent(display, request.requestor, 0, 0, &event)
  }

  private func sendNext(_ property: Atom) {
    guard let transfer = outgoing[property] else { return }
    let piece = transfer.rest.prefix(64 << 10)
    if manner == .stallsInPieces, transfer.rest.startIndex > 0 { return }
    setBytes(transfer.window, property, transfer.type, Array(piece))
    if manner == .endless { return }
    outgoing[property] = piece.isEmpty ? nil : (transfer.window, transfer.type, transfer.rest.dropFirst(piece.count))
  }
}
