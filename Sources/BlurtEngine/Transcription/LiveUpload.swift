internal import AssemblyAI
internal import Synchronization

/// Where the frames of one utterance go while it is spoken: into the request, and into the copy for the whole-clip route.
final class LiveUpload: Sendable {
  private let body: ChunkedRequestBody
  private let state: Mutex<AudioCopy>

  init(_ copy: AudioCopy, _ body: ChunkedRequestBody) {
    self.body = body
    state = Mutex(copy)
  }

  var copy: AudioCopy { state.withLock { $0 } }

  /// Never waits; called by one thread at a time.
  func take(_ frame: [UInt8]) {
    state.withLock { $0.append(frame) }
    body.append(frame)
  }
}
