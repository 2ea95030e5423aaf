internal import BlurtOS
internal import CX11

/// One look at what a selection holds: who owned it when it began, and what that program sends. Confined to the X thread.
///
/// It may begin long before the paste, at key-up. Whether it still holds at the paste, its owner and the count of changes
/// tell. `end` must be called.
final class ClipboardReading {
  let selection: Atom
  let holder: Window
  /// A program that copies again keeps its window, so the changes are counted too.
  let changeCount: Int
  /// Shared by those that are read for one paste.
  let budget: ByteBudget
  /// When it is taken as it is (C-74).
  let deadline: Duration
  /// Nil where there is nobody to ask: nobody owns it, or this process does.
  private let reader: SelectionReader?
  private let session: X11Connection.Session

  /// Asks the owner, if there is one. The changes must be watched already. One round trip for the owner; what is asked of it
  /// is sent with the next flush.
  init(
    of selection: Atom, at time: Time, until deadline: Duration, budget: ByteBudget, in session: X11Connection.Session,
    dispatch: () -> Void
  ) {
    let display = session.display
    self.selection = selection
    self.session = session
    self.budget = budget
    self.deadline = deadline
    holder = XGetSelectionOwner(display.raw, selection)
    dispatch()
    changeCount = session.ownerChanges[selection, default: 0]
    guard holder != Window(None), holder != display.window else {
      reader = nil
      return
    }
    let reader = SelectionReader(selection: selection, budget: budget, landing: session.landing, display: display)
    self.reader = reader
    session.readers.append(reader)
    reader.begin(at: time)
  }

  /// Nothing more will come.
  var isDone: Bool { reader?.isDone ?? true }

  /// Somebody has copied something new, as far as the events tell that were dispatched.
  var isOutdated: Bool { changeCount != session.ownerChanges[selection, default: 0] }

  /// The owner tells nobody when it copies again, so that nothing says whether this still holds.
  var mayBeOld: Bool { reader?.copiesSilently ?? false }

  /// What the owner has sent so far; nil where none was asked.
  func result() -> ClipboardSnapshot? { reader?.result() }

  /// Takes nothing more, and forgets what has come.
  func end() {
    guard let reader else { return }
    reader.end()
    session.readers.removeAll { $0 === reader }
  }
}
