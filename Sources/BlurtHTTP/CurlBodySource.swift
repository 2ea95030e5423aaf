internal import AssemblyAI
internal import BlurtOS

/// The bytes of one request, in order, wherever they come from. For the curl thread alone.
struct CurlBodySource {
  private enum Piece {
    case bytes([UInt8])
    case file(path: String, byteCount: Int)
    case stream(ChunkedRequestBody)
  }

  /// The file that is being read. A class, as a descriptor cannot be copied and a piece can.
  private final class OpenFile {
    let descriptor: FileDescriptor
    init(_ path: String) throws(Errno) { descriptor = try FileDescriptor.open(path, 0) }
  }

  /// What `Content-Length` says; nil for a body that is still being written.
  let byteCount: Int?
  /// Bytes given to libcurl so far.
  private(set) var pulledByteCount = 0
  /// Whether libcurl has had everything.
  var isAtEnd: Bool { wasEndPulled || byteCount == pulledByteCount }
  /// Why a pull said `aborted`, where the producer was not the reason.
  private(set) var failure: String?

  private var pieces: [Piece]
  private var wasEndPulled = false
  private var offset = 0
  private var openFile: OpenFile?
  private let stream: ChunkedRequestBody?

  init(_ body: HTTPRequest.Body) {
    switch body {
    case .none:
      pieces = []
      byteCount = 0
      stream = nil
    case .bytes(let bytes):
      pieces = [.bytes(bytes)]
      byteCount = bytes.count
      stream = nil
    case .file(let file):
      pieces = [.bytes(file.head), .file(path: file.path, byteCount: file.fileByteCount), .bytes(file.tail)]
      byteCount = file.byteCount
      stream = nil
    case .stream(let body):
      pieces = [.stream(body)]
      byteCount = nil
      stream = body
    }
  }

  /// Whether a pull would find something.
  var isReadable: Bool { stream?.isReadable ?? true }

  /// Copies the next bytes into `buffer`.
  mutating func pull(into buffer: UnsafeMutableRawBufferPointer) -> ChunkedRequestBody.Pull {
    let result = next(into: buffer)
    switch result {
    case .bytes(let count): pulledByteCount += count
    case .end: wasEndPulled = true
    case .pending, .aborted: break
    }
    return result
  }

  private mutating func next(into buffer: UnsafeMutableRawBufferPointer) -> ChunkedRequestBody.Pull {
    while let piece = pieces.first {
      let count: Int
      switch piece {
      case .stream(let body):
        return body.pull(into: buffer)
      case .bytes(let bytes):
        count = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
      case .file(let path, let byteCount):
        let wanted = min(buffer.count, byteCount - offset)
        guard let read = read(path, UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])) else { return .aborted }
        count = read
      }
      offset += count
      if count > 0 { return .bytes(count) }
      pieces.removeFirst()
      offset = 0
    }
    return .end
  }

  /// Reads from the file, at least one byte where any is wanted; nil where it cannot be read or is too short.
  private mutating func read(_ path: String, _ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard !buffer.isEmpty else {
      openFile = nil
      return 0
    }
    do throws(Errno) {
      let file: OpenFile
      if let openFile { file = openFile } else { file = try OpenFile(path) }
      openFile = file
      if let count = try file.descriptor.read(into: buffer), count > 0 { return count }
      failure = "The kept recording is shorter than it should be."
    } catch {
      failure = "The kept recording could not be read (\(error.reason))."
    }
    return nil
  }
}
