import Synchronization

/// A request body that is written while it is sent (T-72…T-75).
///
/// One producer appends and then finishes, fails or cancels; one transport pulls. Appending never blocks and never
/// drops: the queue is unbounded, as a microphone cannot wait. Any thread may call any member.
public final class ChunkedRequestBody: Sendable {
  /// What a pull found.
  public enum Pull: Sendable, Equatable {
    /// That many bytes were copied.
    case bytes(Int)
    /// Nothing there yet; the transport is told by `onReadable` when there is.
    case pending
    /// The end: everything was pulled.
    case end
    /// The producer failed or was cancelled: the transfer must be torn down without a proper end.
    case aborted
  }

  private struct State: ~Copyable {
    var chunks: [[UInt8]] = []
    var head = 0
    var offset = 0
    var byteCount = 0
    var pulled = 0
    var ended = false
    var aborted = false
    var onReadable: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let handover = Atomic<UInt8>(0)

  public init() {}

  /// Bytes appended and not yet pulled.
  public var bufferedByteCount: Int { locked { $0.byteCount } }

  /// Whether a pull would find something else than `.pending`.
  public var isReadable: Bool { locked { $0.byteCount > 0 || $0.ended || $0.aborted } }

  /// Whether the producer gave the body up (T-80).
  public var isAborted: Bool { locked { $0.aborted } }

  /// Bytes that a transport has taken.
  public var pulledByteCount: Int { locked { $0.pulled } }

  /// Appends bytes. Ignored after the end. Wakes the transport, so that a frame leaves as soon as it is there.
  public func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    notify { state in
      guard !state.ended, !state.aborted else { return false }
      state.chunks.append(bytes)
      state.byteCount += bytes.count
      return true
    }
  }

  /// The body is complete.
  public func finish() {
    notify { state in
      guard !state.ended, !state.aborted else { return false }
      state.ended = true
      return true
    }
  }

  /// The body will never be complete; what is buffered is dropped, and so is what is appended from now on.
  public func abort() {
    notify { state in
      guard !state.aborted else { return false }
      state.aborted = true
      state.chunks = []
      state.head = 0
      state.offset = 0
      state.byteCount = 0
      return true
    }
  }

  /// Tells the transport when there is something to pull again. Called on the producer's thread; must not block.
  public func setOnReadable(_ handler: (@Sendable () -> Void)?) { locked { $0.onReadable = handler } }

  /// Copies the next bytes into `buffer`. For the one transport.
  public func pull(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
    locked { state in
      if state.aborted { return .aborted }
      var copied = 0
      while copied < buffer.count, state.head < state.chunks.count {
        let chunk = state.chunks[state.head]
        let count = min(buffer.count - copied, chunk.count - state.offset)
        chunk.withUnsafeBytes { source in
          buffer.baseAddress.map { base in
            (base + copied).copyMemory(from: source.baseAddress.unsafelyUnwrapped + state.offset, byteCount: count)
          }
        }
        copied += count
        state.offset += count
        if state.offset == chunk.count {
          state.chunks[state.head] = []
          state.head += 1
          state.offset = 0
        }
      }
      if state.head == state.chunks.count {
        state.chunks.removeAll(keepingCapacity: true)
        state.head = 0
      } else if state.head > 1_024 {
        state.chunks.removeFirst(state.head)
        state.head = 0
      }
      state.byteCount -= copied
      state.pulled += copied
      if copied > 0 { return .bytes(copied) }
      return state.ended ? .end : .pending
    }
  }

  private func notify(_ change: (inout State) -> Bool) {
    let handler = locked { state in change(&state) ? state.onReadable : nil }
    handler?()
  }

  /// Producer and transport meet here. A contended `Mutex` of Swift 6.3 is handed over by the kernel (a
  /// priority-inheriting futex), which the thread sanitizer cannot see and reports as a race; the atomic shows it the
  /// same order.
  private func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(1, ordering: .releasing) }
      return body(&state)
    }
  }
}
