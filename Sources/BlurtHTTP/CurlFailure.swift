internal import AssemblyAI
internal import CCurl

/// Turns the result of a transfer into a sentence that names the host and says what to do next.
struct CurlFailure {
  let code: CURLcode
  /// Host and, where it is not the scheme's own, port.
  let host: String
  /// libcurl's own words, as `CURLOPT_ERRORBUFFER` gives them.
  var detail = ""
  /// The status with which a proxy refused a tunnel; 0 where none did.
  var proxyStatus = 0
  /// The connection had been made when it failed.
  var isConnected = false
  var connectTimeout: Duration = .zero

  var error: HTTPTransportError { HTTPTransportError(code: Int(code.rawValue), message: message) }

  private var message: String {
    if proxyStatus != 0, !(200...299).contains(proxyStatus) {
      return "The proxy refused the way to \(host) with status \(proxyStatus): check https_proxy, its user name and"
        + " password included, or add the host to no_proxy."
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "The name \(host) could not be resolved: check the network connection and the service address."
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
      return "The proxy on the way to \(host) could not be used: check https_proxy."
    case CURLE_COULDNT_CONNECT:
      return "No connection to \(host): check the network, a proxy set in https_proxy, and the service address."
    case CURLE_OPERATION_TIMEDOUT where !isConnected:
      return "\(host) did not answer within \(connectTimeout.components.seconds) s: check the network, or a proxy set"
        + " in https_proxy."
    case CURLE_OPERATION_TIMEDOUT:
      return "\(host) did not answer in time: check the network."
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      return "The certificate of \(host) is not trusted\(inBrackets): if this network has a certificate authority of"
        + " its own, name its file in SSL_CERT_FILE."
    case CURLE_SSL_CACERT_BADFILE:
      return "The file of trusted certificates cannot be read\(inBrackets): check SSL_CERT_FILE and CURL_CA_BUNDLE."
    case CURLE_SSL_CONNECT_ERROR:
      return "No secure connection to \(host)\(inBrackets): check that the address is right and the network does not"
        + " intercept it."
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_SEND_FAIL_REWIND:
      return "The connection to \(host) broke: check the network."
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      return "The service address is not an http or https address: correct BlurtOrigin."
    case CURLE_WRITE_ERROR:
      return "\(host) sent an answer that is too long: check the service address."
    case CURLE_ABORTED_BY_CALLBACK:
      return "The request to \(host) was given up."
    default:
      return "The request to \(host) failed\(inBrackets.isEmpty ? " (curl \(code.rawValue))" : inBrackets)."
    }
  }

  private var inBrackets: String { detail.isEmpty ? "" : " (\(detail))" }

  /// Whether a host, perhaps with a port, is this machine for sure.
  static func isLoopback(_ authority: String) -> Bool {
    if authority.hasPrefix("[::1]") { return true }
    let name = authority.prefix { $0 != ":" }.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The host and port of a URL, without user name and password.
  static func host(of url: String) -> String {
    let rest = url.range(ofFirst: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
  }
}

extension String {
  /// Where `needle` first stands.
  fileprivate func range(ofFirst needle: String) -> Range<Index>? {
    indices.lazy.compactMap { start in
      self[start...].hasPrefix(needle) ? start..<self.index(start, offsetBy: needle.count) : nil
    }.first
  }
}
