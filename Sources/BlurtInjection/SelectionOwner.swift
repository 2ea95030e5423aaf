internal import CX11

/// Owns one selection and answers those who ask for it (ICCCM §2.2, C-72). Confined to the X thread.
final class SelectionOwner {
  /// Somebody was given data.
  struct Read {
    /// The window it was given to.
    let requestor: Window
    let purpose: ClipboardContents.Purpose
    /// A target that holds the text itself, not one that describes the selection.
    let isText: Bool
  }

  /// How a request ended.
  enum Outcome {
    case read(Read)
    /// The data goes over in pieces; `OutgoingTransfers` tells when it is through.
    case began(Read)
    /// The reader has given up a transfer by asking anew.
    case ended(OutgoingTransfers.Ended)
  }

  let selection: Atom
  /// What is served; nil while we are not the owner.
  private(set) var contents: ClipboardContents?
  private var since: Time = 0
  private let display: X11Display
  private let transfers: OutgoingTransfers

  init(selection: Atom, display: X11Display, transfers: OutgoingTransfers) {
    self.selection = selection
    self.display = display
    self.transfers = transfers
  }

  /// XSetSelectionOwner. `time` must be a time of the server. Whether it worked, `isOwner` tells.
  func own(_ contents: ClipboardContents, at time: Time) {
    XSetSelectionOwner(display.raw, selection, display.window, time)
    self.contents = contents
    since = time
  }

  /// Leaves the selection without an owner (C-51).
  func disown(at time: Time) {
    guard contents != nil else { return }
    XSetSelectionOwner(display.raw, selection, Window(None), time)
    contents = nil
  }

  /// Asks the server who the owner is: one round trip. Drops the contents where it is not us (C-97).
  func isOwner() -> Bool {
    guard contents != nil else { return false }
    if XGetSelectionOwner(display.raw, selection) == display.window { return true }
    contents = nil
    return false
  }

  /// Whether anybody owns the selection: one round trip.
  func hasForeignOwner() -> Bool {
    let owner = XGetSelectionOwner(display.raw, selection)
    return owner != Window(None) && owner != display.window
  }

  /// The text stays after all, so histories may keep it.
  func makeLasting() {
    contents?.purpose = .lasting
    contents?.isHiddenFromHistories = false
  }

  /// Answers a request. Never waits for the one who asked.
  func answer(_ request: XSelectionRequestEvent, now: Duration) -> [Outcome] {
    // An event to these goes to the window under the pointer or to the one that has the focus, which asked for nothing.
    guard request.requestor != Window(PointerWindow), request.requestor != Window(InputFocus) else { return [] }
    // An obsolete client names no property: the target's name is used then (ICCCM §2.2).
    let property = request.property == Atom(None) ? request.target : request.property
    var outcomes: [Outcome] = []
    var isServed = false
    // Nobody else can read what is put on our own window.
    if let contents, !isOutdated(request.time), request.requestor != display.window {
      if request.target == display.atoms[.multiple] {
        isServed = request.property != Atom(None)
        if isServed { outcomes = answerMultiple(request, contents, now) }
      } else {
        isServed = convert(request.target, contents, to: request.requestor, property, now, &outcomes)
      }
    }
    notify(request, property: isServed ? property : Atom(None))
    return outcomes
  }

  /// A request from before we became the owner was meant for the former owner.
  private func isOutdated(_ time: Time) -> Bool {
    time != Time(CurrentTime) && X11Display.isEarlier(time, than: since)
  }

  /// Puts one target into the reader's property. False where that cannot be.
  private func convert(
    _ target: Atom, _ contents: ClipboardContents, to requestor: Window, _ property: Atom, _ now: Duration,
    _ outcomes: inout [Outcome]
  ) -> Bool {
    let atoms = display.atoms
    let key = OutgoingTransfers.Key(window: requestor, property: property)
    if let ended = transfers.supersede(key) { outcomes.append(.ended(ended)) }
    let description = Read(requestor: requestor, purpose: contents.purpose, isText: false)
    if target == atoms[.targets] {
      display.setProperty(requestor, property, type: Atom(XA_ATOM), words: targets(of: contents))
      outcomes.append(.read(description))
      return true
    }
    if target == atoms[.timestamp] {
      display.setProperty(requestor, property, type: Atom(XA_INTEGER), words: [since])
      outcomes.append(.read(description))
      return true
    }
    if let data = contents[target] {
      let read = Read(requestor: requestor, purpose: contents.purpose, isText: true)
      if data.itemCount * Int(data.format) / 8 > display.largestPiece {
        guard transfers.begin(data, to: key, for: read, now: now) else { return false }
        outcomes.append(.began(read))
        return true
      }
      data.bytes.withUnsafeBytes { bytes in
        display.setProperty(
          requestor, property, type: data.type, format: data.format, bytes: bytes, itemCount: data.itemCount)
      }
      outcomes.append(.read(read))
      return true
    }
    if target == atoms[.passwordHint], contents.isHiddenFromHistories {
      let secret = Array("secret".utf8)
      secret.withUnsafeBytes { bytes in
        display.setProperty(requestor, property, type: target, format: 8, bytes: bytes, itemCount: bytes.count)
      }
      outcomes.append(.read(description))
      return true
    }
    return false
  }

  /// Everything on offer, for TARGETS and for a clipboard manager.
  private func targets(of contents: ClipboardContents) -> [Atom] {
    var targets = [display.atoms[.targets], display.atoms[.timestamp], display.atoms[.multiple]]
    targets += contents.representations.map(\.target)
    let hint = display.atoms[.passwordHint]
    if contents.isHiddenFromHistories, !targets.contains(hint) { targets.append(hint) }
    return targets
  }

  /// Several conversions in one request: the reader's property holds pairs of target and property (ICCCM §2.6.2).
  private func answerMultiple(
    _ request: XSelectionRequestEvent, _ contents: ClipboardContents, _ now: Duration
  ) -> [Outcome] {
    let list = display.property(request.requestor, request.property, byteLimit: Self.pairLimit * 8)
    var pairs = list.map { Array($0.words.prefix(Self.pairLimit * 2)) } ?? []
    var outcomes: [Outcome] = []
    for index in stride(from: 0, to: pairs.count - pairs.count % 2, by: 2) {
      let (target, property) = (pairs[index], pairs[index + 1])
      let isAllowed = target != display.atoms[.multiple] && property != Atom(None)
      if !isAllowed || !convert(target, contents, to: request.requestor, property, now, &outcomes) {
        pairs[index + 1] = Atom(None)
      }
    }
    display.setProperty(request.requestor, request.property, type: display.atoms[.atomPair], words: pairs)
    return outcomes
  }

  /// Pairs of one request; what is over is not answered. Readers ask for a handful.
  private static let pairLimit = 256

  private func notify(_ request: XSelectionRequestEvent, property: Atom) {
    var event = XEvent()
    event.xselection.type = SelectionNotify
    event.xselection.requestor = request.requestor
    event.xselection.selection = request.selection
    event.xselection.target = request.target
    event.xselection.property = property
    event.xselection.time = request.time
    XSendEvent(display.raw, request.requestor, 0, NoEventMask, &event)
  }
}
