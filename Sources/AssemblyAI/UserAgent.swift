/// The `User-Agent` header (T-16, T-21).
public enum UserAgent {
  /// `Blurt/0.1.54 (Linux 6.8; dev)`: product, version, details.
  ///
  /// Spaces in the product become hyphens. Blank details are dropped; without any, so are the parentheses; without a
  /// version, the slash.
  public static func make(product: String, version: String?, details: [String] = []) -> String {
    var agent = String(product.trimmedOfWhitespace().map { $0.isWhitespace ? "-" : $0 })
    if let version = version?.trimmedOfWhitespace(), !version.isEmpty { agent += "/\(version)" }
    let present = details.map { $0.trimmedOfWhitespace() }.filter { !$0.isEmpty }
    if !present.isEmpty { agent += " (\(present.joined(separator: "; ")))" }
    return agent
  }
}
