internal import CX11

/// Fetches everything a foreign owner of a selection offers (C-74). Confined to the X thread.
///
/// Driven by events: `begin` asks for the list of targets, and when it comes asks for all of them at once, so that the
/// owner's answers cost two waits in all, however many there are. The caller bounds the time, takes `result` and calls
/// `end`. What the owner sends is bounded before it is fetched: a property of any size costs no more than the budget.
final class SelectionReader {
  private enum State {
    /// Not asked for: there are too many.
    case skipped
    case asked
    /// Comes in pieces.
    case incremental
    case done
    case refused
    /// There was more than is left of the budget.
    case tooLarge
  }

  private struct Request {
    let target: Atom
    var property: Atom?
    var state = State.skipped
    /// A second answer may come.
    var wasAskedTwice = false
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

  /// More targets than that are not asked for; the most useful ones come first. Programs offer up to about 40.
  static let targetLimit = 64
  /// The list of targets as such: an owner could name millions.
  private static let listByteLimit = 16 << 10

  private let display: X11Display
  private let selection: Atom
  private let landing: LandingProperties
  private let budget: ByteBudget
  private var time: Time = 0
  private var stage = Stage.idle
  private var listProperty: Atom?
  /// Tk, which takes CLIPBOARD once and then changes what it holds without a word to the server.
  private(set) var copiesSilently = false
  private var requests: [Request] = []
  private var wasAskedAgain = false

  init(selection: Atom, budget: ByteBudget, landing: LandingProperties, display: X11Display) {
    self.selection = selection
    self.display = display
    self.budget = budget
    self.landing = landing
  }

  /// Nothing more will come, or nothing more is wanted.
  var isDone: Bool { stage == .ended }

  func begin(at time: Time) {
    self.time = time
    stage = .listing
    listProperty = landing.take()
    if let listProperty { ask(for: display.atoms[.targets], into: listProperty) } else { stage = .ended }
  }

  /// What was fetched so far; what is still outstanding counts as unreadable.
  ///
  /// Where something is missing, the contents count if the essential is there: the plain text; where the owner offers
  /// none, the picture, the page or the list of files (C-52). Otherwise they are unknown.
  func result() -> ClipboardSnapshot {
    let finished = requests.filter { $0.state == .done }.map { request in
      ClipboardContents.Representation(
        target: request.target, type: request.type, format: request.format, itemCount: request.itemCount,
        bytes: request.bytes)
    }
    if requests.isEmpty, stage != .ended { return .unknown(.ownerSilent) }
    let isSilent = requests.contains(where: \.isOutstanding)
    let isTooLarge = requests.contains { $0.state == .tooLarge || $0.state == .skipped }
    if isSilent || isTooLarge {
      let plain = Set(requests.map(\.target)).intersection(plainText)
      let essential = plain.isEmpty ? Set(display.atoms.all(Self.essentials)) : plain
      if finished.contains(where: { essential.contains($0.target) }) { return .contents(finished) }
      return .unknown(isTooLarge ? .tooLarge : .ownerSilent)
    }
    return finished.isEmpty ? .unknown(.unreadable) : .contents(finished)
  }

  /// Nothing further is taken. Must be called, and `result` before it.
  func end() {
    if let listProperty { landing.giveBack(listProperty, isAnswered: false) }
    listProperty = nil
    for request in requests {
      guard let property = request.property else { continue }
      let isAnswered = request.state == .done || request.state == .refused
      landing.giveBack(property, isAnswered: isAnswered && !request.wasAskedTwice)
    }
    requests = []
    stage = .ended
  }

  // MARK: Events

  /// An answer of the owner. False where it belongs to something else.
  func handle(_ event: XSelectionEvent) -> Bool {
    guard event.selection == selection, event.requestor == display.window else { return false }
    // A refusal names no property, so that a late one to an earlier question can be told by its time alone.
    let isRefusal = event.property == Atom(None)
    if isRefusal, event.time != time, event.time != Time(CurrentTime) { return false }
    if stage == .listing, event.target == display.atoms[.targets], isRefusal || event.property == listProperty {
      listed(isRefused: isRefusal)
      return true
    }
    guard stage == .fetching,
      let index = requests.firstIndex(where: {
        $0.target == event.target && $0.state == .asked && (isRefusal || $0.property == event.property)
      })
    else { return false }
    fetched(index, isRefused: isRefusal)
    return true
  }

  /// A new value in a property of our window: the next piece of an incremental transfer.
  func handleNewValue(in property: Atom) {
    guard stage == .fetching, let index = requests.firstIndex(where: { $0.property == property }),
      requests[index].state == .incremental
    else { return }
    if let piece = take(property, for: index) {
      requests[index].append(piece)
      if piece.itemCount == 0 { requests[index].state = .done }
    }
    guard requests[index].state != .incremental else { return }
    askAgainIfNeeded()
    endIfComplete()
  }

  private func listed(isRefused: Bool) {
    guard let listProperty else { return }
    let list = isRefused ? nil : display.property(display.window, listProperty, byteLimit: Self.listByteLimit)
    XDeleteProperty(display.raw, display.window, listProperty)
    landing.giveBack(listProperty, isAnswered: true)
    self.listProperty = nil
    // An owner that knows no TARGETS may still have text.
    let targets = list?.words ?? [display.atoms[.utf8String], Atom(XA_STRING)]
    copiesSilently = targets.contains(display.atoms[.tkWindow])
    var seen = Set(display.atoms.all(Self.metaTargets) + [Atom(None)])
    requests = targets.filter { seen.insert($0).inserted }.map { Request(target: $0) }
    stage = .fetching
    // Owners answer in the order they are asked: what matters most comes first, in case the time runs out.
    let first = Set(plainText)
    let second = Set(display.atoms.all(Self.essentials))
    func rank(_ index: Int) -> Int {
      first.contains(requests[index].target) ? 0 : second.contains(requests[index].target) ? 1 : 2
    }
    for index in requests.indices.sorted(by: { (rank($0), $0) < (rank($1), $1) }).prefix(Self.targetLimit) {
      guard let property = landing.take() else { break }
      requests[index].property = property
      requests[index].state = .asked
      ask(for: requests[index].target, into: property)
    }
    XFlush(display.raw)
    endIfComplete()
  }

  private func fetched(_ index: Int, isRefused: Bool) {
    defer { endIfComplete() }
    guard !isRefused, let property = requests[index].property else {
      requests[index].state = .refused
      return
    }
    guard let data = take(property, for: index) else {
      if requests[index].state == .asked { requests[index].state = .refused }
      return
    }
    if data.type != display.atoms[.incremental] {
      requests[index].append(data)
      requests[index].state = .done
      return
    }
    budget.giveBack(data.byteCount)
    // The number is a lower bound of what will come.
    requests[index].state = Int(clamping: data.words.first ?? 0) > budget.left ? .tooLarge : .incremental
  }

  /// Fetches what is in a property, deletes it there and books it. Nil where it is not there or too large; then, what came
  /// before it for the same target is dropped, and the owner waits in vain for a further deletion.
  private func take(_ property: Atom, for index: Int) -> X11Display.Property? {
    guard let data = display.property(display.window, property, delete: true, byteLimit: budget.left) else {
      return nil
    }
    if data.restByteCount == 0, budget.take(data.byteCount) { return data }
    budget.giveBack(requests[index].itemCount * Int(requests[index].format) / 8)
    requests[index].bytes = []
    requests[index].itemCount = 0
    // A deletion asks an owner that sends in pieces for the next one.
    if requests[index].state == .asked { XDeleteProperty(display.raw, display.window, property) }
    requests[index].state = .tooLarge
    return nil
  }

  /// Some owners drop requests that come while they send in pieces. Those are repeated once when that is over.
  private func askAgainIfNeeded() {
    guard !wasAskedAgain, !requests.contains(where: { $0.state == .incremental }) else { return }
    wasAskedAgain = true
    for index in requests.indices where requests[index].state == .asked {
      guard let property = requests[index].property else { continue }
      requests[index].wasAskedTwice = true
      ask(for: requests[index].target, into: property)
    }
  }

  private func endIfComplete() {
    guard stage == .fetching, !requests.contains(where: \.isOutstanding) else { return }
    stage = .ended
  }

  private func ask(for target: Atom, into property: Atom) {
    XConvertSelection(display.raw, selection, target, property, display.window, time)
  }

  private var plainText: [Atom] { display.atoms.all([.utf8String, .plainTextUTF8]) + [Atom(XA_STRING)] }

  /// What stands for the whole where there is no plain text.
  private static let essentials: [X11Atoms.Name] = [.png, .html, .uriList, .copiedFiles]

  /// Targets that describe the selection or do something to it, and are no data.
  private static let metaTargets: [X11Atoms.Name] = [
    .targets, .timestamp, .multiple, .saveTargets, .delete, .insertSelection, .insertProperty, .incremental, .atomPair,
  ]
}
