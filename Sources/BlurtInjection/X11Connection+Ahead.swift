internal import BlurtOS
internal import CX11

/// Reading the old clipboard while the words are still on their way, so that the paste need not wait for its owner.
extension X11Connection {
  /// An insert is expected, or none any more. Looks at what is true now: the calls may overtake each other.
  func expectationChanged(_ isExpected: () -> Bool) {
    // An insert under way reads for itself.
    guard isExpected() else { return forgetAhead() }
    guard session?.ahead == nil, nextTicket == servedTicket else { return }
    readAhead()
  }

  /// Only CLIPBOARD: PRIMARY follows the mouse, and not every program takes it anew when what is selected changes. Nothing
  /// where nobody would tell of a change (no XFixes), where the user is not in front, or where the clipboard is ours.
  private func readAhead() {
    guard let session, !session.display.isBroken, session.display.ownerChangeEvent != nil, host.isInFront() else {
      return
    }
    let selection = session.clipboard.selection
    session.watchOwner(of: selection, true)
    let reading = ClipboardReading(
      of: selection, at: serverTime(session), until: MonotonicClock.now() + timing.snapshot,
      budget: ByteBudget(timing.snapshotByteLimit), in: session
    ) { dispatchQueued(session) }
    XFlush(session.display.raw)
    session.ahead = reading
    if reading.holder == session.display.window { forgetAhead() }
  }

  /// What was read for an insert that does not come: nothing of it is kept.
  func forgetAhead() {
    guard let session, let ahead = session.ahead else { return }
    session.ahead = nil
    ahead.end()
    session.watchOwner(of: ahead.selection, false)
  }
}
