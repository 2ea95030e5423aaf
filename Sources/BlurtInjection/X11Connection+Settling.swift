internal import BlurtOS
internal import CX11

/// The old clipboard on its way back.
extension X11Connection {
  /// Brings the old clipboard back when the receipt says so (C-47…C-51).
  func settleIfDue(_ session: Session, _ now: Duration) {
    guard let due = settling, due.receipt.verdict(at: now) != .wait else { return }
    // A read that is on its way is still answered with the text, and may put the end off.
    _ = serverTime(session)
    guard let current = settling else { return }
    switch current.receipt.verdict(at: now) {
    case .wait: return
    case .restore: restore(current, session)
    case .neverRead:
      restore(current, session)
      host.onNotice(.neverRead)
    }
  }

  func restore(_ current: Settling, _ session: Session) {
    settling = nil
    let time = serverTime(session)
    let isHidden = host.hidesFromHistories()
    // C-49: only what is still ours, and nobody copies between the look and the change.
    session.display.exclusively {
      for (selection, snapshot) in current.saved {
        guard let owner = owner(of: selection, session), owner.isOwner() else { continue }
        switch snapshot {
        case .empty: owner.disown(at: time)
        case .contents(let representations):
          // A new ownership, so that programs that cache what is offered notice. Histories have these contents already.
          owner.own(
            ClipboardContents(
              representations: representations, purpose: .lasting, isHiddenFromHistories: isHidden),
            at: time)
        case .unknown: owner.makeLasting()
        }
      }
    }
  }
}
