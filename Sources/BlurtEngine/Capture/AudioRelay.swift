internal import Synchronization

/// The writing end of a live feed, which can hand frames to the feed's consumer on the thread that captures them.
///
/// A frame goes either on the stream, where a task has to wake for it, or straight to what the consumer has named. Each
/// goes one of the two ways, once, and in order. One thread sends; any may end the feed. `AudioFeed.readToEnd` is the
/// consumer's side.
public final class AudioRelay: Sendable {
  private enum Way {
    case stream
    /// The consumer takes what is on the stream first; this comes after it.
    case held([[UInt8]])
    case direct(@Sendable ([UInt8]) -> Void)
  }

  let frames: AsyncStream<[UInt8]>
  private let stream: AsyncStream<[UInt8]>.Continuation
  private let way = Mutex(Way.stream)
  private let handover = Atomic<UInt8>(0)

  /// A feed with nothing on it yet, unbounded (C-08).
  public init() { (frames, stream) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .unbounded) }

  /// Hands on captured bytes. Where the consumer takes them directly, its code runs before this returns.
  public func send(_ frame: [UInt8]) {
    guard !frame.isEmpty else { return }
    locked { way in
      switch way {
      case .stream:
        stream.yield(frame)
      case .held(var frames):
        // Taken out first, so that the array grows in place.
        way = .stream
        frames.append(frame)
        way = .held(frames)
      case .direct(let take):
        take(frame)
      }
    }
  }

  /// The feed has ended. What is sent later reaches nobody.
  public func finish() { stream.finish() }

  // MARK: The consumer's side

  /// From now on frames wait; an empty frame marks the place on the stream.
  func hold() {
    locked { way in
      guard case .stream = way else { return }
      way = .held([])
      stream.yield([])
    }
  }

  /// Hands over what has waited, then each frame as it is sent.
  func pass(to take: @escaping @Sendable ([UInt8]) -> Void) {
    locked { way in
      if case .held(let frames) = way {
        for frame in frames { take(frame) }
      }
      way = .direct(take)
    }
  }

  /// Back to the stream. Once this returns, nothing that `pass` was given is called any more.
  func release() {
    locked { way in
      if case .held(let frames) = way {
        for frame in frames { stream.yield(frame) }
      }
      way = .stream
    }
  }

  /// Sender and consumer meet here; see `ChunkedRequestBody` for the atomic, which is there for the thread sanitizer.
  private func locked(_ body: (inout Way) -> Void) {
    way.withLock { way in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(1, ordering: .releasing) }
      body(&way)
    }
  }
}
