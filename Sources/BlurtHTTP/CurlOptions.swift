internal import BlurtOS
internal import Glibc

/// What a `CurlTransport` is set up with. Proxies are not here: libcurl reads `https_proxy`, `http_proxy`, `all_proxy`
/// and `no_proxy` from the environment by itself (T-83).
package struct CurlOptions: Sendable {
  /// How long a connection may take, name look-up and TLS included.
  package var connectTimeout: Duration = .seconds(10)
  /// How long sent bytes may stay unacknowledged before the kernel drops the connection: the stall limit (T-81) for
  /// what has left this process already and is swallowed by the network.
  package var unacknowledgedTimeout: Duration = .seconds(90)
  /// A connection that was idle for longer is not used again; whole seconds.
  package var longestIdle: Duration = .seconds(60)
  /// While a transfer runs, its stall limit is looked at this often: the kernel's waits do not count the time that the
  /// machine sleeps, the limit does (B-132).
  package var longestWait: Duration = .seconds(10)
  /// The time that stalls and trust are measured by; it counts the time that the machine sleeps.
  package var now: @Sendable () -> Duration = { MonotonicClock.sinceBoot() }
  /// A body that is still being written goes over a connection that was made or has answered within this time, else over a
  /// fresh one (B-121). A dictation's upload follows its warm-up by a tenth of a second.
  package var streamTrust: Duration = .seconds(2)
  /// The same for a complete body, whose warm-up was made when the key went down.
  package var bodyTrust: Duration = .seconds(30)
  /// A file of certificates to trust instead of the system's.
  package var certificateFile: String?
  /// A folder of certificates to trust, as `c_rehash` prepares it.
  package var certificateDirectory: String?
  /// The most bytes of an answer's body.
  package var responseByteLimit = 8 << 20

  package init() {}

  /// Reads `CURL_CA_BUNDLE`, else `SSL_CERT_FILE`, and `SSL_CERT_DIR`, as the curl program does; the library does not.
  package init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    certificateFile = value("CURL_CA_BUNDLE") ?? value("SSL_CERT_FILE")
    certificateDirectory = value("SSL_CERT_DIR")
  }

  /// The options that this process's environment asks for.
  package static func fromEnvironment() -> CurlOptions {
    CurlOptions { name in getenv(name).map { String(cString: $0) } }
  }
}
