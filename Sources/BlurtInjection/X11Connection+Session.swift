internal import CX11

extension X11Connection {
  /// One connection to a server, with what is kept for it.
  final class Session {
    let display: X11Display
    let windows: X11Windows
    let keyboard: X11Keyboard
    let transfers: OutgoingTransfers
    let clipboard: SelectionOwner
    let primary: SelectionOwner
    /// The old contents on their way in.
    var readers: [SelectionReader] = []
    let landing: LandingProperties
    /// The old clipboard, read for an insert that is expected.
    var ahead: ClipboardReading?
    /// How often another program has taken or left a selection, counted while that is watched.
    var ownerChanges: [Atom: Int] = [:]
    private var watches: [Atom: Int] = [:]
    /// How often `_NET_ACTIVE_WINDOW` has changed.
    var activations = 0
    /// The clipboard manager has answered; nil while no answer is awaited.
    var isHandedOver: Bool?

    init(display: X11Display, timing: InjectionTiming) {
      self.display = display
      windows = X11Windows(display: display)
      keyboard = X11Keyboard(display: display)
      landing = LandingProperties(display.atoms.landing)
      transfers = OutgoingTransfers(display: display, stall: timing.transferStall)
      clipboard = SelectionOwner(selection: display.atoms[.clipboard], display: display, transfers: transfers)
      primary = SelectionOwner(selection: Atom(XA_PRIMARY), display: display, transfers: transfers)
    }

    /// Counts the changes of a selection's owner until as many calls end it as began it.
    func watchOwner(of selection: Atom, _ isWanted: Bool) {
      let former = watches[selection, default: 0]
      watches[selection] = former + (isWanted ? 1 : -1)
      if former == (isWanted ? 0 : 1) { display.watchOwner(of: selection, isWanted) }
    }
  }
}
