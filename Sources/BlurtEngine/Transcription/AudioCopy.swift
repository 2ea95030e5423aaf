internal import AssemblyAI

/// The audio of one utterance once more, for the route that takes it whole (T-67).
///
/// Where the recording is kept in a file, the file is the copy and nothing is held in memory but what found no room in it.
/// Up to T-94, then dropped.
struct AudioCopy {
  private let recording: (any KeptRecording)?
  private let limit: Int
  private var bytes: [UInt8]? = []
  private(set) var byteCount = 0

  init(of recording: (any KeptRecording)?, limit: Int = SyncSTTLimits.fallbackByteLimit) {
    self.recording = recording
    self.limit = limit
  }

  mutating func append(_ frame: [UInt8]) {
    byteCount += frame.count
    guard recording == nil else { return }
    if byteCount > limit { bytes = nil } else { bytes?.append(contentsOf: frame) }
  }

  /// Counts what the recording has where somebody else has read the frames.
  mutating func catchUp() { byteCount = max(byteCount, recording?.availableByteCount ?? 0) }

  /// The multipart body of the whole-clip route; nil where the audio is over the guard or was not kept whole.
  func body(config: [UInt8], boundary: String) -> HTTPRequest.Body? {
    body(
      head: MultipartBody.head(config: config, boundary: boundary), tail: MultipartBody.tail(boundary: boundary))
  }

  /// The audio between two other pieces; nil as above.
  func body(head: [UInt8], tail: [UInt8]) -> HTTPRequest.Body? {
    guard byteCount <= limit else { return nil }
    guard let recording else { return bytes.map { .bytes(head + $0 + tail) } }
    guard let unwritten = recording.unwritten else { return nil }
    let written = min(byteCount, recording.byteCount)
    guard written + unwritten.count >= byteCount else { return nil }
    return .file(
      HTTPFileBody(
        head: head, path: recording.audioPath, fileByteCount: written,
        tail: unwritten.prefix(byteCount - written) + tail))
  }
}
