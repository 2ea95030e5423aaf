/// A place that keeps one key: what `MemoizedAPIKeyStore` remembers the answers of. Its members may block.
public protocol APIKeyStorage: Sendable {
  /// Asks the place itself.
  func read() -> APIKeyReading
  /// Replaces the key; nil removes it. A write that fails leaves the stored key as it was.
  func write(_ key: String?) throws(APIKeyStoreFault)
}
