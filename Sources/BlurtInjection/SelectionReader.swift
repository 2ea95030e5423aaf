internal import CX11

/// Fetches everything a foreign owner of a selection offers (C-74). Confined to the X thread.
///
/// Driven by events: `begin` asks for the list of targets, and when it comes asks for all of them at once, so that the
/// owner's answers cost two waits in all. The caller bounds the time and then takes `result`.
final class SelectionReader {
  private enum State {
    case asked
    /// Comes in pieces.
    case incremental
    case done
    case refused
  }

  private struct Request {
    let target: Atom
    let property: Atom
    var state = State.asked
    // What has come so far. In place, since it may be large.
    var type: Atom = 0
    var format: Int32 = 8
    var itemCount = 0
    var bytes: [UInt8] = []

    var isOutstanding: Bool { state == .asked || state == .incremental }

    mutating func append(_ piece: X11Display.Property) {
      if itemCount == 0 { (type, format) = (piece.type, piece.format) }
      itemCount += piece.itemCount
      bytes += piece.bytes
    }
  }

  private enum Stage {
    case idle
    case listing
    case fetching
    case ended
  }

  private let display: X11Display
  private let selection: Atom
  private let properties: ArraySlice<Atom>
  private let budget: ByteBudget
  private var time: Time = 0
  private var stage = Stage.idle
  private var requests: [Request] = []
  private var isTooLarge = false
  private var wasAskedAgain = false

  /// `number`: readers that run side by side have different ones, 0 or 1.
  init(selection: Atom, number: Int, budget: ByteBudget, display: X11Display) {
    self.selection = selection
    self.display = display
    self.budget = budget
    properties = display.atoms.landingProperties(ofReader: number)
  }

  /// Nothing more will come, or nothing more is wanted.
  var isDone: Bool { stage == .ended }

  func begin(at time: Time) {
    self.time = time
    stage = .listing
    ask(for: display.atoms[.targets], into: landing(0))
  }

  /// What was fetched so far; what is still outstanding counts as unreadable.
  func result() -> ClipboardSnapshot {
    let finished = requests.filter { $0.state == .done }.map { request in
      ClipboardContents.Representation(
        target: request.target, type: request.type, format: request.format, itemCount: request.itemCount,
        bytes: request.bytes)
    }
    if stage == .listing || stage == .idle { return .unknown(.ownerSilent) }
    if isTooLarge || requests.contains(where: \.isOutstanding) {
      // C-52: at least the plain text, else nothing.
      let plain = [display.atoms[.utf8String], display.atoms[.plainTextUTF8], Atom(XA_STRING)]
      if finished.contains(where: { plain.contains($0.target) }) { return .contents(finished) }
      return .unknown(isTooLarge ? .tooLarge : .ownerSilent)
    }
    return finished.isEmpty ? .unknown(.unreadable) : .contents(finished)
  }

  // MARK: Events

  /// An answer of the owner. False where it belongs to something else.
  func handle(_ event: XSelectionEvent) -> Bool {
    guard event.selection == selection, event.requestor == display.window, stage != .idle else { return false }
    switch stage {
    case .listing where event.target == display.atoms[.targets]: listed(event)
    case .fetching: fetched(event)
    default:
      // Too late: only clear the property away.
      if event.property != Atom(None) { XDeleteProperty(display.raw, display.window, event.property) }
    }
    return true
  }

  /// A new value in a property of our window: the next piece of an incremental transfer.
  func handleNewValue(in property: Atom) {
    guard stage == .fetching, let index = requests.firstIndex(where: { $0.property == property }),
      requests[index].state == .incremental,
      let piece = display.property(display.window, property, delete: true)
    else { return }
    guard account(piece) else { return }
    requests[index].append(piece)
    if piece.itemCount == 0 {
      requests[index].state = .done
      askAgainIfNeeded()
      endIfComplete()
    }
  }

  private func listed(_ event: XSelectionEvent) {
    var targets: [Atom] = []
    if event.property != Atom(None), let list = display.property(display.window, event.property, delete: true) {
      targets = list.words
    } else {
      // An owner that knows no TARGETS may still have text.
      targets = [display.atoms[.utf8String], Atom(XA_STRING)]
    }
    let meta = Set(Self.metaTargets.map { display.atoms[$0] } + [Atom(None)])
    var seen = meta
    for target in targets where seen.insert(target).inserted {
      requests.append(Request(target: target, property: landing(requests.count)))
    }
    stage = .fetching
    for request in requests { ask(for: request.target, into: request.property) }
    XFlush(display.raw)
    endIfComplete()
  }

  private func fetched(_ event: XSelectionEvent) {
    guard let index = requests.firstIndex(where: { $0.target == event.target && $0.state == .asked }) else { return }
    guard event.property != Atom(None),
      let data = display.property(display.window, event.property, delete: true)
    else {
      requests[index].state = .refused
      return endIfComplete()
    }
    if data.type == display.atoms[.incremental] {
      // The number is a lower bound of what will come.
      if Int(clamping: data.words.first ?? 0) > budget.left { return tooLarge() }
      requests[index].state = .incremental
    } else if account(data) {
      requests[index].append(data)
      requests[index].state = .done
    }
    endIfComplete()
  }

  private func account(_ data: X11Display.Property) -> Bool {
    if !budget.take(data.itemCount * Int(data.format) / 8) { tooLarge() }
    return !isTooLarge
  }

  private func tooLarge() {
    isTooLarge = true
    stage = .ended
  }

  /// Some owners drop requests that come while they send in pieces. Those are repeated once when that is over.
  private func askAgainIfNeeded() {
    guard !wasAskedAgain, !requests.contains(where: { $0.state == .incremental }) else { return }
    wasAskedAgain = true
    for request in requests where request.state == .asked { ask(for: request.target, into: request.property) }
  }

  private func endIfComplete() {
    guard stage == .fetching else { return }
    if !requests.contains(where: \.isOutstanding) { stage = .ended }
  }

  private func ask(for target: Atom, into property: Atom) {
    XConvertSelection(display.raw, selection, target, property, display.window, time)
  }

  private func landing(_ number: Int) -> Atom {
    let index = properties.startIndex + number
    if index < properties.endIndex { return properties[index] }
    return XInternAtom(display.raw, "_BLURT_LANDING_\(selection)_\(number)", 0)
  }

  /// Targets that describe the selection or do something to it, and are no data.
  private static let metaTargets: [X11Atoms.Name] = [
    .targets, .timestamp, .multiple, .saveTargets, .delete, .insertSelection, .insertProperty, .incremental, .atomPair,
  ]
}
