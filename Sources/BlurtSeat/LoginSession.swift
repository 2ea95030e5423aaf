/// One login session as logind describes it.
package struct LoginSession: Sendable, Hashable {
  /// As in `loginctl`; the environment's XDG_SESSION_ID.
  package var id: String
  /// Its object on the bus.
  package var path: String
  package var userID: UInt32
  /// Empty where it has none, as over ssh.
  package var seat: String
  /// `x11`, `wayland`, `mir`, `tty`, `unspecified`.
  package var type = ""
  /// `user`, `greeter`, `lock-screen`, `background`, `manager` and some more.
  package var sessionClass = ""
  /// `online`, `active`, `closing`.
  package var state = ""
  /// It has its seat; always true for one without a seat.
  package var isActive = false
  /// Its screen locker says that it is locked.
  package var isLocked = false

  package init(id: String, path: String, userID: UInt32, seat: String) {
    self.id = id
    self.path = path
    self.userID = userID
    self.seat = seat
  }

  /// Somebody works in it: no greeter, no service manager, none that is left over after its user has gone.
  var isInUse: Bool { sessionClass.hasPrefix("user") && state != "closing" }

  var isGraphical: Bool { ["x11", "wayland", "mir"].contains(type) }
}
