internal import AssemblyAI

/// Where the dictation service lives (P-25). Unset or blank: production.
public struct DictationOriginStore: Sendable {
  private let setting: StoredSetting

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    setting = StoredSetting(.origin, backing, prefix)
  }

  /// An `http` or `https` address without a slash at its end.
  public var current: String { setting.text ?? DictationOrigin.production }

  /// Scheme and host, perhaps a port and a path. The value itself is never named: an address may hold a password.
  static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value else { return SettingDescription.of(.string, value) }
    return address(text, httpAnywhere: false, example: DictationOrigin.production)
  }

  /// An address in its normalised form, for every setting that is one. `httpAnywhere`: also to other computers.
  static func address(
    _ text: String, httpAnywhere: Bool, example: String
  ) -> Result<SettingValue, SettingRefusal> {
    let address = DictationOrigin.normalized(text)
    let refusal = SettingRefusal(
      "it must be an address such as \(example), without user name, \"?\" or \"#\"")
    guard let end = address.firstRange(of: "://") else { return .failure(refusal) }
    let scheme = address[..<end.lowerBound].lowercased()
    let rest = address[end.upperBound...]
    let host = rest.prefix { $0 != "/" && $0 != ":" }
    let hasForbidden = rest.unicodeScalars.contains {
      $0.value <= 0x20 || $0.value == 0x7F || $0.properties.isWhitespace || "?#@\\\"<>".unicodeScalars.contains($0)
    }
    guard scheme == "http" || scheme == "https", !host.isEmpty, !hasForbidden else { return .failure(refusal) }
    guard scheme == "https" || httpAnywhere || isLoopback(rest.prefix { $0 != "/" }) else {
      return .failure(
        SettingRefusal("it must begin with https://, since all can listen to http; that is for this computer only"))
    }
    return .success(.string(scheme + "://" + rest))
  }

  /// Whether a host, perhaps with a port, is this computer for sure: a name that only looks like it is not.
  private static func isLoopback(_ authority: Substring) -> Bool {
    let port = authority.lastIndex(of: ":").flatMap { colon in
      authority[authority.index(after: colon)...].allSatisfy { $0.isASCII && $0.isNumber } ? colon : nil
    }
    let host = authority[..<(port ?? authority.endIndex)].lowercased()
    if ["localhost", "[::1]"].contains(host) || host.hasSuffix(".localhost") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil && (part == "0" || part.first != "0")
      }
  }
}
