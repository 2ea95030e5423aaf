/// The one way to a key (P-68): everything else about keys composes over it.
public protocol APIKeyGateway: Sendable {
  /// What is known now. Never waits for a store.
  var known: APIKeyReading { get }
  /// Asks the store, unless the answer is known. May block for seconds.
  func read() -> APIKeyReading
  /// Stores the trimmed key, and reads it back; nil or a blank one removes it (T-110). May block for seconds.
  ///
  /// Throws where the key is not there afterwards as it was given; the old one is then still stored.
  func save(_ key: String?) throws(APIKeyStoreFault)
}

extension APIKeyGateway {
  /// The key that is known now.
  public var current: String? { known.key }
  /// Whether a key is known now.
  public var hasKey: Bool { current != nil }
}
