package import BlurtContract
package import BlurtEngine
internal import BlurtExecutor
internal import Synchronization

/// Runs the listening window: settings, seat and dictations in; presses let through or refused (Y-130).
///
/// Any thread. What a step entails is carried out in the order of the steps, by one thread at a time and under no lock.
/// On Linux nothing has to be brought up or let go: the window decides whether presses are answered. The API key is no
/// part of the gate, since the session looks for it at each press and has an error to show (S-50).
package final class ListeningControl: Sendable {
  package struct Dependencies: Sendable {
    /// Read at start and whenever settings may have changed.
    package var wishes: @Sendable () -> ListeningWishes
    /// Another number whenever the wishes may be others; nil: they are read each time.
    package var settingsGeneration: (@Sendable () -> UInt64)?
    /// Has the body see the settings as they are at its beginning.
    package var withOneLook: @Sendable (_ body: () -> Void) -> Void
    package var seat: any SeatSource
    /// Brings up what a press needs, then says what failed, or nil. Exactly once, from any thread.
    package var bringUp: @Sendable (_ done: @escaping @Sendable (FailureReason?) -> Void) -> Void
    /// Lets go of that. Calls `done` once, from any thread.
    package var tearDown: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    /// Ends a live recording and keeps it.
    package var pause: @Sendable () -> Void
    /// Told every step of the window, in order.
    package var publish: @Sendable (ListeningEvent) -> Void
    package var clock: any Clock<Duration>

    package init(
      wishes: @escaping @Sendable () -> ListeningWishes, settingsGeneration: (@Sendable () -> UInt64)? = nil,
      withOneLook: @escaping @Sendable (_ body: () -> Void) -> Void = { $0() },
      seat: any SeatSource = AlwaysActiveSeat(),
      bringUp: @escaping @Sendable (_ done: @escaping @Sendable (FailureReason?) -> Void) -> Void = { $0(nil) },
      tearDown: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void = { $0() },
      pause: @escaping @Sendable () -> Void, publish: @escaping @Sendable (ListeningEvent) -> Void,
      clock: any Clock<Duration> = TaskClock()
    ) {
      self.wishes = wishes
      self.settingsGeneration = settingsGeneration
      self.withOneLook = withOneLook
      self.seat = seat
      self.bringUp = bringUp
      self.tearDown = tearDown
      self.pause = pause
      self.publish = publish
      self.clock = clock
    }
  }

  /// The timer of the lifetime that counts; older ones have no say.
  private struct Lifetime {
    let number: UInt64
    let generation: UInt64
    let length: Duration
  }

  private enum Effect {
    case publish(ListeningEvent)
    case carryOut(ListeningWindow.Action)
    case startTimer(Lifetime)
    case stopTimer(Task<Void, Never>)
  }

  private struct State {
    var window = ListeningWindow()
    var wishes = ListeningWishes()
    /// Of the settings that the wishes were read from, or of earlier ones.
    var settingsGeneration: UInt64?
    var seat = SeatState.active
    /// The generation in which the present interruption began.
    var interrupted: UInt64 = 0
    var isCapturing = false
    /// The user has turned the window on again while it was closing.
    var reopens = false
    var lastTimer: UInt64 = 0
    var timer: Task<Void, Never>?
    var effects: [Effect] = []
    var isCarryingOut = false
    var isStarted = false
    var isStopped = false

    /// Gives the window an event and notes what follows.
    mutating func take(_ event: ListeningWindow.Event) {
      guard isStarted, !isStopped else { return }
      let before = window.event
      let action = window.take(event)
      let after = window.event
      if after != before { effects.append(.publish(after)) }
      if let action, action != .restartLifetime { effects.append(.carryOut(action)) }
      let counts = window.state == .open || window.state == .interrupted
      if action == .restartLifetime || (timer != nil && !counts) { restartLifetime() }
      if before.state == .closing, after.state == .closed, reopens {
        reopens = false
        take(.openRequested(refusal: seat.refusal))
      }
    }

    /// One timer, and only where the window is to close by itself and nobody speaks.
    mutating func restartLifetime() {
      if let timer { effects.append(.stopTimer(timer)) }
      timer = nil
      lastTimer += 1
      let counts = window.state == .open || window.state == .interrupted
      guard counts, !isCapturing, let length = wishes.lifetime else { return }
      effects.append(.startTimer(Lifetime(number: lastTimer, generation: window.generation, length: length)))
    }
  }

  private let dependencies: Dependencies
  private let state = Mutex(State())

  package init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  // MARK: Asked

  /// Where the window stands.
  package var current: ListeningEvent { state.withLock { $0.window.event } }

  /// Why a press is not answered; nil while the window is open.
  package var refusal: FailureReason? {
    state.withLock { $0.window.state == .open ? nil : $0.window.reason ?? .fault }
  }

  /// What is to be done with a press that was let through, once it is submitted: nil, unless the window has been left
  /// meanwhile and what that does to a live dictation came too early for this one.
  package var retraction: SessionCommand? {
    state.withLock { state in
      switch state.window.state {
      case .open, .opening: nil
      case .interrupted, .closing, .closed: .cancelRecording
      }
    }
  }

  // MARK: Told

  /// Opens the window, if it is wanted.
  package func start() {
    dependencies.seat.onChange { [weak self] in self?.seatChanged() }
    let (wishes, seat) = (dependencies.wishes(), dependencies.seat.state)
    change { state in
      state.isStarted = true
      state.wishes = wishes
      state.seat = seat
      state.take(.openRequested(refusal: wishes.isWanted ? seat.refusal : .windowClosed))
    }
    seatChanged()
  }

  /// Opens a window that has closed by itself; nothing where it is open or not wanted.
  package func openAgain() {
    change { state in
      guard state.wishes.isWanted else { return }
      if state.window.state == .closing { state.reopens = true }
      state.take(.openRequested(refusal: state.seat.refusal))
    }
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// Has a press answered by the settings of now: the body is told why it is refused, or nil. On this thread, at once.
  package func answerPress(_ body: (_ refusal: FailureReason?) -> Void) {
    dependencies.withOneLook {
      settingsChanged()
      body(refusal)
    }
  }

  /// Settings may have changed: only a change of those that concern the window does something.
  package func settingsChanged() {
    // Before the wishes are read: a change in between is another generation next time.
    if let generation = dependencies.settingsGeneration?() {
      guard state.withLock({ $0.settingsGeneration != generation }) else { return }
      adoptWishes()
      state.withLock { $0.settingsGeneration = generation }
    } else {
      adoptWishes()
    }
  }

  private func adoptWishes() {
    var wishes = dependencies.wishes()
    // Looked at again after a change was made: another thread may have been quicker with a newer one.
    while adopt(wishes) {
      let newer = dependencies.wishes()
      if newer == wishes { return }
      wishes = newer
    }
  }

  /// False where nothing is new in them.
  private func adopt(_ wishes: ListeningWishes) -> Bool {
    guard state.withLock({ $0.isStarted && $0.wishes != wishes }) else { return false }
    change { state in
      let before = state.wishes
      state.wishes = wishes
      if !wishes.isWanted {
        state.reopens = false
        // A closed window keeps no other reason: the user's word is the one that counts.
        state.take(state.window.state == .closed ? .openRequested(refusal: .windowClosed) : .turnedOff)
      } else {
        if state.window.state == .closing { state.reopens = true }
        state.take(.openRequested(refusal: state.seat.refusal))
        if wishes.lifetime != before.lifetime { state.restartLifetime() }
      }
    }
    return true
  }

  /// The phase has changed; each step, in order.
  package func phaseChanged(_ phase: PipelinePhase) {
    change { state in
      guard state.isStarted, phase.isCapturing != state.isCapturing else { return }
      state.isCapturing = phase.isCapturing
      if phase.isCapturing { state.restartLifetime() } else { state.take(.recordingEnded) }
    }
  }

  /// Closes for good; returns once the last step is published, unless another thread is at it.
  package func stop() {
    change { state in
      state.take(.stopped)
      state.restartLifetime()
      state.isStopped = true
    }
  }

  private func seatChanged() {
    var seat: SeatState
    // Looked at again, as above.
    repeat {
      seat = dependencies.seat.state
      adopt(seat)
    } while dependencies.seat.state != seat
  }

  private func adopt(_ seat: SeatState) {
    change { state in
      guard state.isStarted else { return }
      state.seat = seat
      switch (seat, state.window.state) {
      case (.inactive(let reason), .open), (.inactive(let reason), .opening), (.inactive(let reason), .interrupted):
        state.interrupted = state.window.generation
        state.take(.interruptionBegan(reason))
      case (.active, .opening), (.active, .interrupted): state.take(.interruptionEnded(generation: state.interrupted))
      case (_, .closed):
        // Refused by the gate, which looks different now; a window that has closed by itself stays so.
        guard state.wishes.isWanted, state.window.reason != .windowClosed else { return }
        state.take(.openRequested(refusal: seat.refusal))
      case (.active, .open), (_, .closing): break
      }
    }
  }

  private func lifetimeElapsed(_ lifetime: Lifetime) {
    change { state in
      guard state.lastTimer == lifetime.number, !state.isCapturing else { return }
      state.timer = nil
      state.take(.lifetimeElapsed(generation: lifetime.generation))
    }
  }

  // MARK: Carried out

  /// Changes the state, then carries out what follows, unless another thread, or this one further up, is at it already.
  private func change(_ step: (inout State) -> Void) {
    let isMine = state.withLock { state in
      step(&state)
      if state.isCarryingOut { return false }
      state.isCarryingOut = true
      return true
    }
    guard isMine else { return }
    while let effect = state.withLock({ state -> Effect? in
      if state.effects.isEmpty {
        state.isCarryingOut = false
        return nil
      }
      return state.effects.removeFirst()
    }) {
      carryOut(effect)
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .publish(let event): dependencies.publish(event)
    case .carryOut(.bringUp(let generation)):
      dependencies.bringUp { [weak self] failure in
        self?.change { state in
          state.take(
            failure.map { .openingFailed(generation: generation, $0) } ?? .resourcesUp(generation: generation))
        }
      }
    case .carryOut(.tearDown(let generation, let cancelsDictation)):
      // The recording is kept: turning the window off is no wish to lose words.
      if cancelsDictation { dependencies.pause() }
      dependencies.tearDown { [weak self] in self?.change { $0.take(.tornDown(generation: generation)) } }
    case .carryOut(.pause): dependencies.pause()
    case .carryOut(.restartLifetime): break
    case .stopTimer(let timer): timer.cancel()
    case .startTimer(let lifetime): startTimer(lifetime)
    }
  }

  private func startTimer(_ lifetime: Lifetime) {
    let timer = Task.detached { [weak self, clock = dependencies.clock] in
      do { try await clock.sleep(for: lifetime.length) } catch { return }
      self?.lifetimeElapsed(lifetime)
    }
    let isCurrent = state.withLock { state in
      guard state.lastTimer == lifetime.number else { return false }
      state.timer = timer
      return true
    }
    if !isCurrent { timer.cancel() }
  }
}
