internal import BlurtEngine
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// Plays cues, outside of the capture path and on a thread of its own that lives only while one is played.
///
/// The device is opened for each cue and closed after it. Nobody waits for a cue: an output that is missing, busy or
/// hangs is silence (P-53). Of several cues that wait only the newest is played, and one that comes late is not, since a
/// cue says "now". Any thread may call.
package final class CuePlayer: Sendable {
  /// What became of a cue.
  package enum Outcome: Sendable, Hashable {
    case played
    /// A newer one took its place, or the player was stopped.
    case superseded
    /// The output was ready too late.
    case late
    case failed(CueError)
  }

  private struct Request {
    let number: UInt64
    let sounds: [CueSound]
    let pause: Duration
    let deadline: Duration?
    let done: @Sendable (Outcome) -> Void
  }

  private struct State {
    var newest: UInt64 = 0
    var waiting: Request?
    var isStopped = false
  }

  /// A cue that cannot begin within this is left out.
  package static let freshness: Duration = .milliseconds(400)

  private let device: String
  private let volume: Double
  private let worker = SerialWorker(name: "blurt-cue")
  private let state = Mutex(State())

  /// - Parameter device: An ALSA PCM.
  package init(device: String = "default", volume: Double = PresentationTiming.cueVolume) {
    self.device = device
    self.volume = volume
  }

  /// Plays one sound now, instead of whatever still sounds. Returns at once; `done` is called once, from any thread.
  package func play(_ sound: CueSound, done: @escaping @Sendable (Outcome) -> Void = { _ in }) {
    enqueue([sound], pause: .zero, deadline: MonotonicClock.now() + Self.freshness, done)
  }

  /// Plays several sounds with a pause between them, however long the output takes to open: for somebody who listens.
  package func preview(
    _ sounds: [CueSound], pause: Duration = PresentationTiming.previewGap,
    done: @escaping @Sendable (Outcome) -> Void
  ) {
    enqueue(sounds, pause: pause, deadline: nil, done)
  }

  /// Ends what sounds and plays nothing more. Does not wait for an output that hangs.
  package func stop() {
    let dropped = state.withLock { state in
      state.isStopped = true
      state.newest += 1
      defer { state.waiting = nil }
      return state.waiting
    }
    dropped?.done(.superseded)
  }

  /// Whether the output can be opened; it is closed again without a sound. Blocks: call on a `WorkerThread`.
  package func failureToOpen() -> CueError? {
    do throws(CueError) {
      _ = try CueOutput.open(device)
      return nil
    } catch {
      return error
    }
  }

  private func enqueue(
    _ sounds: [CueSound], pause: Duration, deadline: Duration?, _ done: @escaping @Sendable (Outcome) -> Void
  ) {
    let (dropped, isTaken) = state.withLock { state in
      guard !state.isStopped else { return (nil as Request?, false) }
      state.newest += 1
      defer {
        state.waiting = Request(number: state.newest, sounds: sounds, pause: pause, deadline: deadline, done: done)
      }
      return (state.waiting, true)
    }
    dropped?.done(.superseded)
    guard isTaken else { return done(.superseded) }
    // Where a job waits already, behind an output that hangs, that one takes the newest request.
    worker.submit(unlessWaiting: 1) { [self] in playWaiting() }
  }

  private func playWaiting() {
    let request = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    guard let request else { return }
    request.done(carryOut(request))
  }

  private func carryOut(_ request: Request) -> Outcome {
    do throws(CueError) {
      let output = try CueOutput.open(device)
      if let deadline = request.deadline, MonotonicClock.now() > deadline { return .late }
      // A silence between two sounds is played as one: the device's clock keeps it exact.
      let gap = [Int16](
        repeating: 0, count: Int(request.pause / .microseconds(1)) * CueSound.sampleRate / 1_000_000)
      let parts = request.sounds.map { $0.samples(volume: volume) }
      let samples = Array(parts.joined(separator: gap))
      let isPlayed = try output.play(samples) { state.withLock { $0.newest } == request.number }
      return isPlayed ? .played : .superseded
    } catch {
      return .failed(error)
    }
  }
}
