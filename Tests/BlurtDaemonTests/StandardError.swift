import FoundationEssentials
import Glibc

/// What a test writes to standard error. Only for suites that are serialized: there is one standard error.
enum StandardError {
  static func captured(_ body: () async throws -> Void) async throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/blurt-stderr-\(UUID().uuidString)"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let before = dup(2)
    dup2(file, 2)
    close(file)
    defer {
      dup2(before, 2)
      close(before)
      unlink(path)
    }
    try await body()
    return String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}
