package import BlurtContract

/// Whether presses are answered: closed, opening, open, interrupted, closing (S-136…S-145).
///
/// A value without a clock. Every opening has a generation; what was begun for an older one and ends late changes nothing
/// (S-144). `ListeningControl` carries the actions out.
package struct ListeningWindow: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// Somebody wants it open; the gate's objection, if it has one.
    case openRequested(refusal: FailureReason?)
    case resourcesUp(generation: UInt64)
    case openingFailed(generation: UInt64, FailureReason)
    case interruptionBegan(FailureReason)
    /// With the generation in which the interruption began.
    case interruptionEnded(generation: UInt64)
    case recordingEnded
    case lifetimeElapsed(generation: UInt64)
    case turnedOff
    case tornDown(generation: UInt64)
    /// The daemon is going away.
    case stopped
  }

  /// What is to be done after an event.
  package enum Action: Hashable, Sendable {
    case bringUp(generation: UInt64)
    /// Let go of what was brought up; a live recording is ended and kept first where that is said (S-142).
    case tearDown(generation: UInt64, cancelsDictation: Bool)
    /// End a live recording and keep it; everything stays up.
    case pause
    /// Count the time since the last word anew (S-145).
    case restartLifetime
  }

  package private(set) var state: ListeningState = .closed
  /// Why presses are not answered; nil while open.
  package private(set) var reason: FailureReason? = .starting
  package private(set) var generation: UInt64 = 0
  /// An interruption that began during the opening.
  private var awaitedInterruption: FailureReason?

  package init() {}

  /// As watchers and the record see it.
  package var event: ListeningEvent {
    ListeningEvent(state: state, reason: reason, message: reason?.text, generation: generation)
  }

  /// Takes an event and returns what is to be done.
  package mutating func take(_ event: Event) -> Action? {
    if event == .stopped {
      become(.closed, .stopping)
      return nil
    }
    switch state {
    case .closed: return takeClosed(event)
    case .opening: return takeOpening(event)
    case .open: return takeOpen(event)
    case .interrupted: return takeInterrupted(event)
    case .closing: return takeClosing(event)
    }
  }

  private mutating func takeClosed(_ event: Event) -> Action? {
    guard case .openRequested(let refusal) = event else { return nil }
    if let refusal {
      become(.closed, refusal)
      return nil
    }
    generation += 1
    awaitedInterruption = nil
    become(.opening, .starting)
    return .bringUp(generation: generation)
  }

  private mutating func takeOpening(_ event: Event) -> Action? {
    switch event {
    case .resourcesUp(generation):
      if let awaitedInterruption {
        become(.interrupted, awaitedInterruption)
      } else {
        become(.open, nil)
      }
      return .restartLifetime
    case .openingFailed(generation, let reason): become(.closed, reason)
    case .interruptionBegan(let reason): awaitedInterruption = reason
    case .interruptionEnded(generation): awaitedInterruption = nil
    case .turnedOff: return close(cancelsDictation: true)
    case .openRequested, .resourcesUp, .openingFailed, .interruptionEnded, .recordingEnded, .lifetimeElapsed,
      .tornDown, .stopped:
      break
    }
    return nil
  }

  private mutating func takeOpen(_ event: Event) -> Action? {
    switch event {
    case .interruptionBegan(let reason):
      become(.interrupted, reason)
      return .pause
    case .recordingEnded: return .restartLifetime
    case .lifetimeElapsed(generation): return close(cancelsDictation: false)
    case .turnedOff: return close(cancelsDictation: true)
    case .openRequested, .resourcesUp, .openingFailed, .interruptionEnded, .lifetimeElapsed, .tornDown, .stopped: break
    }
    return nil
  }

  private mutating func takeInterrupted(_ event: Event) -> Action? {
    switch event {
    case .interruptionBegan(let reason): become(.interrupted, reason)
    case .interruptionEnded(generation): become(.open, nil)
    case .recordingEnded: return .restartLifetime
    case .lifetimeElapsed(generation): return close(cancelsDictation: false)
    case .turnedOff: return close(cancelsDictation: true)
    case .openRequested, .resourcesUp, .openingFailed, .interruptionEnded, .lifetimeElapsed, .tornDown, .stopped: break
    }
    return nil
  }

  private mutating func takeClosing(_ event: Event) -> Action? {
    if event == .tornDown(generation: generation) { become(.closed, .windowClosed) }
    return nil
  }

  private mutating func close(cancelsDictation: Bool) -> Action {
    become(.closing, .windowClosed)
    return .tearDown(generation: generation, cancelsDictation: cancelsDictation)
  }

  /// The only writer of the state.
  private mutating func become(_ state: ListeningState, _ reason: FailureReason?) {
    self.state = state
    self.reason = reason
  }
}
