internal import Glibc

/// `nghttpd`, which speaks HTTP/2 over TLS, sends every body back and prints each frame it receives.
public final class HTTP2Server: Sendable {
  private static let program: String? = ["/usr/bin/nghttpd", "/usr/sbin/nghttpd"].first { access($0, X_OK) == 0 }

  /// Whether the machine can run it.
  public static let isAvailable = program != nil && access("/usr/bin/openssl", X_OK) == 0

  public let port: UInt16
  private let process: ServerProcess
  private let logPath: String

  /// Starts the server and waits until it listens.
  public init() throws {
    guard let program = Self.program else { throw TestServerFailure(description: "there is no nghttpd") }
    process = try ServerProcess()
    try process.makeCertificate()
    logPath = process.folder + "/log"
    port = try Self.freePort()
    let log = open(logPath, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    try process.start(
      [
        program, "-v", "--echo-upload", "-a", "127.0.0.1", "-d", process.folder, "\(port)",
        process.folder + "/key.pem", process.folder + "/cert.pem",
      ], output: log)
    for _ in 0..<5_000 {
      if output.contains("listen") { return }
      usleep(2_000)
    }
    throw TestServerFailure(description: "nghttpd did not start: \(output)")
  }

  deinit { process.stop() }

  public var baseURL: String { "https://127.0.0.1:\(port)" }
  public var authorityPath: String { process.folder + "/ca.pem" }

  /// Everything it printed.
  public var output: String {
    String(decoding: TestFile.bytes(logPath) ?? [], as: UTF8.self)
  }

  /// How many connections it has taken: each is numbered in the lines about it.
  public var connectionCount: Int {
    Set(output.split(separator: "\n").filter { $0.hasPrefix("[id=") }.map { $0.prefix { $0 != "]" } }).count
  }

  /// Bytes in DATA frames so far.
  public var dataByteCount: Int {
    output.split(separator: "\n").reduce(0) { sum, line in
      guard let found = line.firstRange(of: "recv DATA frame <length=") else { return sum }
      return sum + (Int(line[found.upperBound...].prefix { $0.isNumber }) ?? 0)
    }
  }

  /// Returns once that many bytes came; throws after ten seconds.
  public func waitForData(byteCount: Int) async throws {
    for _ in 0..<5_000 {
      if dataByteCount >= byteCount { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw TestServerFailure(description: "nghttpd has not seen \(byteCount) bytes: \(output)")
  }

  /// A port that was free a moment ago.
  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw TestServerFailure(description: "no free port") }
    return UInt16(bigEndian: address.sin_port)
  }
}
