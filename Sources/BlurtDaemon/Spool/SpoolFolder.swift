internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// The files of the spool: `ID.pcm` with the sound and `ID.json` with the record, in a folder of mode 0700.
///
/// The folder is the truth: every question is answered from it, so that a second process and a restarted daemon see
/// the same. A recording in progress holds the lock of its sound file, which the kernel drops at its death.
struct SpoolFolder: Sendable {
  /// One entry as the directory shows it, without its record.
  struct Entry {
    let id: String
    let byteCount: Int
  }

  let path: String

  func audioPath(_ id: String) -> String { "\(path)/\(id).pcm" }
  func recordPath(_ id: String) -> String { "\(path)/\(id).json" }

  /// Makes the folder and its parents, all 0700, and refuses one that is not ours alone.
  func prepare() throws(Errno) { try PrivateFolder.make(path) }

  /// The recordings, oldest first, by their sound files. Cheap: no record is read.
  func entries() -> [Entry] {
    names().filter { $0.hasSuffix(".pcm") }.map { String($0.dropLast(4)) }.filter { SpoolID.date(of: $0) != nil }
      .sorted().map { Entry(id: $0, byteCount: byteCount(of: $0)) }
  }

  /// Every name in the folder.
  func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  func byteCount(of id: String) -> Int {
    var found = stat()
    return stat(audioPath(id), &found) == 0 ? Int(found.st_size) : 0
  }

  /// Whether a recording is in progress there, in this process or another.
  func isLocked(_ id: String) -> Bool {
    guard let file = try? FileDescriptor.open(audioPath(id), O_RDONLY) else { return false }
    return (try? file.tryLock()) == false
  }

  func read(_ id: String) -> SpoolRecord? {
    guard let data = FileManager.default.contents(atPath: recordPath(id)) else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let record = try? decoder.decode(SpoolRecord.self, from: data), record.id == id else { return nil }
    return record
  }

  /// Replaces a record as a whole: a reader sees the old one or the new one.
  func write(_ record: SpoolRecord) throws(Errno) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    guard let data = try? encoder.encode(record) else { throw Errno(EINVAL, call: "encode \(record.id)") }
    // The name is one that the sweep knows.
    try PrivateFile.replace(
      recordPath(record.id), with: [UInt8](data), temporary: "\(path)/.\(record.id).json", isDurable: false)
  }

  /// Removes both files. The record goes last: a crash in between leaves a record without sound, which is swept.
  func remove(_ id: String) {
    unlink(audioPath(id))
    unlink(recordPath(id))
  }
}
