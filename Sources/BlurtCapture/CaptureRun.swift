internal import BlurtEngine
internal import BlurtOS
internal import Synchronization

/// One press's capture, shared by the callers of `MicCapture` and the thread that holds the device.
///
/// It goes from waiting over opening, settling (started, no live frame yet) and live to ended, never back, and `end` is the
/// only way into the last stage. Its identity is the generation number of C-10: whoever comes back from a suspension
/// asks this object, never "the current capture".
final class CaptureRun: Sendable {
  private enum Stage { case waiting, opening, settling, live, ended }

  private struct State {
    var stage = Stage.waiting
    var hasEntered = false
    var isStopRequested = false
    var transport = AudioTransport.unknown
    var source: ServerSource?
    var byteCount = 0
    var outcome: Result<Void, any Error>?
    var starter: CheckedContinuation<Void, any Error>?
    var isClosed = false
    var isFinished = false
    var finishWaiter: CheckedContinuation<Void, Never>?
    var nextWaiter = 0
    var closeWaiters: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  /// C-08: there before the device opens.
  let feed: AudioFeed
  /// Wakes the capture thread.
  let wakeup: Wakeup
  /// Readable once the device is closed, for the thread of the next press.
  let closed: Wakeup
  private let relay = AudioRelay()
  private let state = Mutex(State())

  init(keepingIn recording: (any KeptRecording)?) throws(Errno) {
    feed = AudioFeed(relay, recording: recording)
    wakeup = try Wakeup()
    closed = try Wakeup()
  }

  // MARK: For the callers

  /// Returns when the microphone is live; throws what stood in the way.
  func waitUntilLive() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.starter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// The one teardown (C-10): ends the feed, wakes the thread, which closes the device, and lets a waiting start go
  /// with that error. Later calls change nothing.
  func end(with error: any Error = CancellationError()) {
    let starter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.stage != .ended else { return nil }
      state.stage = .ended
      // Under the lock, so that no frame can be counted and then refused by a finished feed (C-09).
      relay.finish()
      return Self.settle(&state, .failure(error))
    }
    starter?.resume(throwing: error)
    wakeup.signal()
  }

  /// Ends a live capture after one last read. One that is not live yet has nothing to read and ends at once.
  func requestStop() {
    let isLive = state.withLock { state in
      state.isStopRequested = true
      return state.stage == .live
    }
    if isLive { wakeup.signal() } else { end() }
  }

  /// Waits until the device is closed.
  ///
  /// - Returns: false where the limit passed first.
  func waitUntilClosed(within limit: Duration, on clock: any Clock<Duration>) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let timer = Task {
      try await clock.sleep(for: limit)
      state.withLock { $0.closeWaiters.removeValue(forKey: id) }?.resume(returning: false)
    }
    defer { timer.cancel() }
    return await waitUntilClosed(id)
  }

  /// Waits until the thread has nothing left to do, however long that takes. For one caller, who joins it.
  func waitUntilFinished() async {
    await withCheckedContinuation { continuation in
      let isFinished = state.withLock { state in
        if !state.isFinished { state.finishWaiter = continuation }
        return state.isFinished
      }
      if isFinished { continuation.resume() }
    }
  }

  private func waitUntilClosed(_ id: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.closeWaiters[id] = continuation }
        return state.isClosed
      }
      if isClosed { continuation.resume(returning: true) }
    }
  }

  /// The device may still be in a call that blocks: nobody should wait for it.
  var isOpening: Bool { state.withLock { $0.stage == .waiting || $0.stage == .opening } }
  /// Its thread has gone for the device and has not closed it yet.
  var holdsDevice: Bool { state.withLock { $0.hasEntered && !$0.isClosed } }
  var isLive: Bool { state.withLock { $0.stage == .live } }
  var isEnded: Bool { state.withLock { $0.stage == .ended } }
  /// The bytes put on the feed so far (C-09).
  var byteCount: Int { state.withLock { $0.byteCount } }
  /// Known once the device has started (C-29).
  var transport: AudioTransport { state.withLock { $0.transport } }

  // MARK: For the capture thread

  var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

  /// Called before the first call that may block.
  ///
  /// - Returns: false where nobody wants the device any more: then it must not be touched.
  func enter() -> Bool {
    state.withLock { state in
      guard state.stage == .waiting else { return false }
      state.stage = .opening
      state.hasEntered = true
      return true
    }
  }

  /// - Returns: false where nobody wants the device any more.
  func deviceStarted(_ transport: AudioTransport) -> Bool {
    state.withLock { state in
      guard state.stage == .opening else { return false }
      state.stage = .settling
      state.transport = transport
      return true
    }
  }

  /// What a sound server said of its source. It decides cap and tail where it tells more than the device did (C-17, C-29).
  func learned(of source: ServerSource) {
    state.withLock { state in
      state.source = source
      if let transport = source.transport { state.transport = transport }
    }
    wakeup.signal()
  }

  /// The sound server's source; nil where there is none, or it has not answered yet.
  var source: ServerSource? { state.withLock { $0.source } }

  func becameLive() {
    let starter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.stage == .settling else { return nil }
      state.stage = .live
      return Self.settle(&state, .success(()))
    }
    starter?.resume()
  }

  /// Writes a block down, then puts it on the feed.
  ///
  /// - Returns: false where the capture has ended.
  func deliver(_ block: UnsafeRawBufferPointer) -> Bool {
    guard !isEnded else { return false }
    feed.recording?.append(block)
    let chunk = [UInt8](block)
    return state.withLock { state in
      guard state.stage != .ended else { return false }
      state.byteCount += chunk.count
      relay.send(chunk)
      return true
    }
  }

  /// The thread's last act.
  func didFinish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.finishWaiter = nil }
      return state.finishWaiter
    }
    waiter?.resume()
  }

  /// Nothing of this press is open any more.
  func didClose() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.closeWaiters = [:] }
      return Array(state.closeWaiters.values)
    }
    closed.signal()
    for waiter in waiters { waiter.resume(returning: true) }
  }

  private static func settle(
    _ state: inout State, _ outcome: Result<Void, any Error>
  ) -> CheckedContinuation<Void, any Error>? {
    guard state.outcome == nil else { return nil }
    state.outcome = outcome
    defer { state.starter = nil }
    return state.starter
  }
}
