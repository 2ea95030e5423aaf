import Testing

@testable import BlurtSeat

@Suite("SeatPicture") struct SeatPictureTests {
  private static func session(
    _ id: String, user: UInt32 = 1000, seat: String = "seat0", _ type: String = "x11",
    _ change: (inout LoginSession) -> Void = { _ in }
  ) -> LoginSession {
    var session = LoginSession(id: id, path: "/s/\(id)", userID: user, seat: seat)
    session.type = type
    session.sessionClass = "user"
    session.state = "active"
    session.isActive = true
    change(&session)
    return session
  }

  private static func background(_ session: inout LoginSession) {
    session.isActive = false
    session.state = "online"
  }

  private func picture(
    _ sessions: [LoginSession], display: String? = nil, preferred: String? = nil
  ) -> SeatPicture {
    var picture = SeatPicture(userID: 1000, preferred: preferred, lockGrace: .seconds(10))
    picture.take(SeatSnapshot(sessions: sessions, display: display))
    return picture
  }

  @Test("Y-131 before logind has answered, the seat counts as active")
  func unknown() {
    let picture = SeatPicture(userID: 1000, preferred: nil, lockGrace: .seconds(10))
    #expect(picture.standing == .active)
    #expect(picture.session == nil)
  }

  @Test(
    "Y-131 the session of the environment comes before the user's main one, that before any graphical, that before any")
  func choice() {
    let tty = Self.session("1", "tty")
    let first = Self.session("2") { Self.background(&$0) }
    let second = Self.session("3", "wayland")
    #expect(picture([tty, first, second], display: "2", preferred: "1").session?.id == "1")
    #expect(picture([tty, first, second], display: "2", preferred: "9").session?.id == "2")
    #expect(picture([tty, first, second]).session?.id == "3")
    #expect(picture([tty, first]).session?.id == "2")
    #expect(picture([tty]).session?.id == "1")
    #expect(picture([tty]).standing == .active)
    #expect(picture([]).session == nil)
  }

  @Test(
    "Y-131 B-29 another user in front: in the background; a greeter, a closing session or a service manager is nobody's"
  )
  func background() {
    let mine = Self.session("2") { Self.background(&$0) }
    let other = Self.session("4", user: 1001)
    #expect(picture([mine, other]).standing == .inBackground)
    #expect(picture([Self.session("2"), Self.session("4", user: 1001) { Self.background(&$0) }]).standing == .active)
    let greeter = Self.session("5", user: 1000) { $0.sessionClass = "greeter" }
    let closing = Self.session("6") { $0.state = "closing" }
    let manager = Self.session("7", seat: "", "unspecified") { $0.sessionClass = "manager" }
    #expect(picture([greeter, closing, manager], display: "6").session == nil)
  }

  @Test("B-29 a user without a session: active where nobody is in front, else not; gone while their last one closes")
  func noSession() {
    #expect(picture([]).standing == .active)
    #expect(picture([Self.session("4", user: 1001)]).standing == .inBackground)
    #expect(picture([Self.session("4", user: 1001) { Self.background(&$0) }]).standing == .active)
    #expect(picture([Self.session("4", user: 1001, seat: "", "tty")]).standing == .active)
    #expect(picture([Self.session("2") { $0.state = "closing" }]).standing == .inBackground)
  }

  @Test("Y-131 a locked session is locked; in the background that comes first, and before all of it sleep")
  func order() {
    var locked = picture([Self.session("2") { $0.isLocked = true }])
    #expect(locked.standing == .locked)
    locked.sleeps(true)
    #expect(locked.standing == .asleep)
    locked.sleeps(false)
    #expect(locked.standing == .locked)
    let both = Self.session("2") { session in
      session.isLocked = true
      Self.background(&session)
    }
    #expect(picture([both]).standing == .inBackground)
  }

  @Test(
    "B-29 a session that was asked to lock counts as locked until its locker speaks, or for the grace if it never does")
  func lockRequest() {
    var picture = picture([Self.session("2")])
    #expect(picture.deadline == nil)
    picture.lockRequested("/s/9", at: .zero)
    #expect(picture.standing == .active)
    picture.lockRequested("/s/2", at: .seconds(1))
    #expect(picture.standing == .locked)
    #expect(picture.deadline == .seconds(11))
    picture.advance(to: .seconds(10))
    #expect(picture.standing == .locked)
    picture.advance(to: .seconds(11))
    #expect(picture.standing == .active)
    #expect(picture.deadline == nil)
  }

  @Test(
    "B-29 an unlock undoes a lock that no locker confirmed; one that a locker confirmed ends by the locker's word alone"
  )
  func unlock() {
    var picture = picture([Self.session("2")])
    picture.lockRequested("/s/2", at: .zero)
    picture.unlockRequested("/s/2")
    #expect(picture.standing == .active)
    picture.lockRequested("/s/2", at: .zero)
    picture.take(SeatSnapshot(sessions: [Self.session("2") { $0.isLocked = true }]))
    #expect(picture.deadline == nil)
    picture.unlockRequested("/s/2")
    picture.advance(to: .seconds(100))
    #expect(picture.standing == .locked)
    picture.take(SeatSnapshot(sessions: [Self.session("2")]))
    #expect(picture.standing == .active)
  }

  @Test("a lock request ends with its session")
  func lockedSessionGoes() {
    var picture = picture([Self.session("2"), Self.session("3")], display: "2")
    picture.lockRequested("/s/2", at: .zero)
    picture.take(SeatSnapshot(sessions: [Self.session("3")], display: "3"))
    #expect(picture.standing == .active)
    #expect(picture.deadline == nil)
  }
}
