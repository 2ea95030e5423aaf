import BlurtContract
import BlurtEngine
import BlurtTestSupport
import Synchronization
import Testing

@testable import BlurtDaemon

@Suite("ListeningControl", .timeLimit(.minutes(1))) struct ListeningControlTests {
  private static let closed = ["closing windowClosed", "closed windowClosed"]
  private static let opened = ["opening starting", "open"]

  private func started(lifetime: Duration? = nil) -> ListeningRig {
    let rig = ListeningRig(wishes: ListeningWishes(lifetime: lifetime))
    rig.control.start()
    #expect(rig.logged() == Self.opened)
    return rig
  }

  @Test("S-136 S-138 the window opens at the start; before that it says that it is starting")
  func opens() {
    let rig = ListeningRig()
    #expect(rig.control.refusal == .starting)
    rig.control.settingsChanged()
    rig.control.phaseChanged(.recording)
    rig.seat.become(.active)
    #expect(rig.logged() == [])
    rig.control.start()
    #expect(rig.logged() == Self.opened)
    #expect(rig.control.refusal == nil)
    #expect(rig.control.current.state == .open && rig.control.current.generation == 1)
    #expect(rig.events.value.map(\.message?.isEmpty) == [false, nil])
  }

  @Test("S-137 Y-131 in an inactive seat the window stays closed and says why; it opens when the seat is active")
  func gate() {
    let rig = ListeningRig(seat: .inactive(.seatInactive))
    rig.control.start()
    #expect(rig.logged() == ["closed seatInactive"])
    #expect(rig.control.refusal == .seatInactive)
    rig.seat.become(.inactive(.suspended))
    #expect(rig.logged() == ["closed suspended"])
    rig.seat.become(.active)
    #expect(rig.logged() == Self.opened)
  }

  @Test("S-139 an opening that fails closes the window with its reason")
  func failure() {
    let rig = ListeningRig()
    rig.holds.value = true
    rig.control.start()
    #expect(rig.control.refusal == .starting)
    rig.bringUps.value.first?(.noDevice)
    #expect(rig.logged() == ["opening starting", "closed noDevice"])
    // The late success of the same opening is stale.
    rig.bringUps.value.first?(nil)
    #expect(rig.logged() == [])
    #expect(rig.control.refusal == .noDevice)
  }

  @Test("S-140 S-141 an interruption pauses: a recording is ended and kept, and the window is open again after it")
  func interruption() {
    let rig = started()
    rig.seat.become(.inactive(.suspended))
    #expect(rig.logged() == ["interrupted suspended", "pause"])
    #expect(rig.control.refusal == .suspended)
    #expect(rig.control.retraction == .cancelRecording)
    rig.seat.become(.inactive(.seatInactive))
    #expect(rig.logged() == ["interrupted seatInactive"])
    rig.seat.become(.active)
    #expect(rig.logged() == ["open"])
    #expect(rig.control.current.generation == 1)
    #expect(rig.control.retraction == nil)
  }

  @Test("S-141 S-144 the end of an interruption that belongs to an older opening opens nothing")
  func oldInterruption() {
    let rig = started()
    rig.seat.become(.inactive(.suspended))
    rig.set(isWanted: false)
    #expect(
      rig.logged() == ["interrupted suspended", "pause", "closing windowClosed", "pause", "closed windowClosed"])
    rig.seat.become(.active)
    #expect(rig.logged() == [])
    rig.set(isWanted: true)
    #expect(rig.logged() == Self.opened)
    #expect(rig.control.current.generation == 2)
  }

  @Test("S-142 turned off by the user the window ends a recording, keeps it, and closes; turned on it opens again")
  func turnedOff() {
    let rig = started()
    rig.set(isWanted: false)
    #expect(rig.logged() == ["closing windowClosed", "pause", "closed windowClosed"])
    #expect(rig.control.refusal == .windowClosed && rig.control.retraction == .cancelRecording)
    rig.control.settingsChanged()
    #expect(rig.logged() == [])
    rig.set(isWanted: true)
    #expect(rig.logged() == Self.opened)
    #expect(rig.control.current.generation == 2)
  }

  @Test("S-142 turned off while another reason keeps it closed, the window gives the user's")
  func turnedOffWhileClosed() {
    let rig = ListeningRig(seat: .inactive(.seatInactive))
    rig.control.start()
    rig.set(isWanted: false)
    rig.seat.become(.active)
    #expect(rig.logged() == ["closed seatInactive", "closed windowClosed"])
    rig.set(isWanted: true)
    #expect(rig.logged() == Self.opened)
  }

  @Test("S-142 a window that is not wanted at the start stays closed")
  func notWanted() {
    let rig = ListeningRig(wishes: ListeningWishes(isWanted: false))
    rig.control.start()
    #expect(rig.logged() == ["closed windowClosed"])
    rig.control.openAgain()
    #expect(rig.logged() == [])
  }

  @Test(
    "S-143 S-144 turned on again while it closes, the window opens anew once it is closed; stale ends change nothing")
  func onWhileClosing() {
    let rig = started()
    rig.holds.value = true
    rig.set(isWanted: false)
    #expect(rig.logged() == ["closing windowClosed", "pause"])
    rig.set(isWanted: true)
    #expect(rig.logged() == [])
    rig.tearDowns.value[0]()
    #expect(rig.logged() == ["closed windowClosed", "opening starting"])
    rig.tearDowns.value[0]()
    #expect(rig.logged() == [])
    rig.bringUps.value[0](nil)
    #expect(rig.logged() == ["open"])
    // On and off again while it closes: the last word counts.
    rig.set(isWanted: false)
    rig.set(isWanted: true)
    rig.set(isWanted: false)
    rig.tearDowns.value[1]()
    #expect(rig.logged() == ["closing windowClosed", "pause", "closed windowClosed"])
  }

  @Test("S-142 S-144 turned off while it opens, the window closes; what comes up late changes nothing")
  func offWhileOpening() {
    let rig = ListeningRig()
    rig.holds.value = true
    rig.control.start()
    rig.set(isWanted: false)
    rig.bringUps.value[0](nil)
    #expect(rig.logged() == ["opening starting", "closing windowClosed", "pause"])
    rig.tearDowns.value[0]()
    rig.bringUps.value[0](nil)
    #expect(rig.logged() == ["closed windowClosed"])
  }

  @Test("S-118 with a lifetime of 0, the default, there is no timer")
  func noTimer() {
    #expect(SessionContract.listeningWindow == .seconds(900))
    #expect(ListeningWishes(Settings(backing: NoSettings())) == ListeningWishes(isWanted: true, lifetime: nil))
    let rig = started()
    rig.control.phaseChanged(.recording)
    rig.control.phaseChanged(.transcribing)
    #expect(rig.clock.sleeperCount == 0)
  }

  @Test("S-142 S-145 Y-132 the window closes that long after the end of the last recording, not after its start")
  func lifetime() async {
    let rig = started(lifetime: .seconds(60))
    await rig.clock.waitForSleeper(until: .seconds(60))
    rig.clock.advance(by: .seconds(50))
    rig.control.phaseChanged(.connecting)
    rig.control.phaseChanged(.recording)
    // Nobody is cut off while speaking.
    #expect(await eventually { rig.clock.sleeperCount == 0 })
    rig.clock.advance(by: .seconds(500))
    rig.control.phaseChanged(.transcribing)
    await rig.clock.waitForSleeper(until: .seconds(610))
    rig.control.phaseChanged(.injecting)
    rig.control.phaseChanged(.pasted)
    #expect(rig.clock.deadlines == [.seconds(610)])
    #expect(rig.logged() == [])
    rig.clock.advance(by: .seconds(60))
    #expect(await eventually { rig.control.current.state == .closed })
    #expect(rig.logged() == Self.closed)
    // A press does not open it; the user does.
    rig.control.settingsChanged()
    rig.seat.become(.active)
    #expect(rig.logged() == [])
    rig.control.openAgain()
    #expect(rig.logged() == Self.opened)
    await rig.clock.waitForSleeper(until: .seconds(670))
    rig.control.openAgain()
    #expect(rig.logged() == [])
  }

  @Test("S-140 S-142 an interruption does not restart the lifetime, and the window can close in it")
  func lifetimeOfAnInterruption() async {
    let rig = started(lifetime: .seconds(60))
    await rig.clock.waitForSleepers(1)
    rig.clock.advance(by: .seconds(30))
    rig.seat.become(.inactive(.suspended))
    rig.clock.advance(by: .seconds(30))
    #expect(await eventually { rig.control.current.state == .closed })
    #expect(rig.logged() == ["interrupted suspended", "pause"] + Self.closed)
  }

  @Test("S-142 another lifetime counts from now; none ends the timer")
  func changedLifetime() async {
    let rig = started(lifetime: .seconds(60))
    await rig.clock.waitForSleeper(until: .seconds(60))
    rig.clock.advance(by: .seconds(10))
    rig.set(isWanted: true, lifetime: .seconds(300))
    await rig.clock.waitForSleeper(until: .seconds(310))
    #expect(await eventually { rig.clock.deadlines == [.seconds(310)] })
    rig.set(isWanted: true)
    #expect(await eventually { rig.clock.sleeperCount == 0 })
    rig.clock.advance(by: .seconds(10_000))
    #expect(rig.control.refusal == nil)
    #expect(rig.logged() == [])
  }

  @Test("S-142 a window that was turned off has no timer")
  func timerOfAClosedWindow() async {
    let rig = started(lifetime: .seconds(60))
    await rig.clock.waitForSleepers(1)
    rig.set(isWanted: false, lifetime: .seconds(60))
    #expect(await eventually { rig.clock.sleeperCount == 0 })
  }

  @Test("S-122 a stop closes for good, with the daemon's end as the reason; nothing opens afterwards")
  func stop() {
    let rig = started(lifetime: .seconds(60))
    rig.control.stop()
    rig.control.stop()
    rig.seat.become(.inactive(.suspended))
    rig.seat.become(.active)
    rig.set(isWanted: false)
    rig.set(isWanted: true)
    rig.control.openAgain()
    #expect(rig.logged() == ["closed stopping"])
    #expect(rig.control.refusal == .stopping)
  }

  @Test("absurd settings are bounded, not trapped on")
  func absurd() {
    for minutes in [1e300, -5, .nan, .infinity, 1e-300] {
      let settings = Settings(backing: OneSetting(name: "BlurtListeningMinutes", value: .number(minutes)))
      let lifetime = ListeningWishes(settings).lifetime
      #expect(lifetime == nil || lifetime.map { $0 >= .zero && $0 <= .seconds(400_000_000) } == true)
    }
    let off = Settings(backing: OneSetting(name: "BlurtListening", value: .bool(false)))
    #expect(!ListeningWishes(off).isWanted)
    let more = Settings(backing: OneSetting(name: "BlurtListeningMinutes", value: .number(1.5)))
    #expect(ListeningWishes(more).lifetime == .seconds(90))
  }

  @Test("Y-130 S-144 steps from many threads are published one by one, each from the state before it")
  func manyThreads() async {
    let rig = ListeningRig()
    rig.control.start()
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for round in 0..<250 {
            switch (lane + round) % 5 {
            case 0: rig.set(isWanted: false)
            case 1: rig.set(isWanted: true)
            case 2: rig.seat.become(.inactive(.suspended))
            case 3: rig.seat.become(.active)
            default: rig.control.phaseChanged(round.isMultiple(of: 2) ? .recording : .pasted)
            }
          }
        }
      }
    }
    rig.seat.become(.active)
    rig.set(isWanted: true)
    #expect(rig.control.current.state == .open)
    let events = rig.events.value
    for (before, after) in zip(events, events.dropFirst()) {
      switch after.state {
      case .opening: #expect(before.state == .closed && after.generation == before.generation + 1)
      case .open: #expect(before.state == .opening || before.state == .interrupted)
      case .interrupted: #expect(before.state != .closed && before.state != .closing)
      case .closing: #expect(before.state != .closed)
      case .closed: break
      }
    }
  }

  @Test("S-136 the wishes are read again when the settings may have changed, and a press is answered by them")
  func generations() {
    let (generation, isWanted, reads) = (Box<UInt64>(1), Box(true), Box(0))
    let control = ListeningControl(
      .init(
        wishes: {
          reads.update { $0 += 1 }
          return ListeningWishes(isWanted: isWanted.value)
        }, settingsGeneration: { generation.value }, pause: {}, publish: { _ in }))
    control.start()
    let answers = Box<[FailureReason?]>([])
    func press() { control.answerPress { answers.append($0) } }
    press()
    let before = reads.value
    press()
    #expect(reads.value == before)
    isWanted.value = false
    generation.value = 2
    press()
    #expect(answers.value == [nil, nil, .windowClosed])
    #expect(reads.value > before)
    control.stop()
  }
}

/// No settings at all.
private struct NoSettings: SettingsBacking {
  func value(forKey key: String) -> SettingValue? { nil }
}

/// One setting.
private struct OneSetting: SettingsBacking {
  let name: String
  let value: SettingValue
  func value(forKey key: String) -> SettingValue? { key == name ? value : nil }
}
