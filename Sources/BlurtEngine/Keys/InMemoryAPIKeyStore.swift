internal import Synchronization

/// A gateway without a store behind it, with the same rules (P-70): for tests, and for hosts that ask at each start.
public final class InMemoryAPIKeyStore: APIKeyGateway, APIKeyStorage {
  private let stored: Mutex<String?>

  public init(_ key: String? = nil) { stored = Mutex(key?.trimmedNonEmpty) }

  public var known: APIKeyReading { read() }

  public func read() -> APIKeyReading { stored.withLock { $0.map { .found($0) } ?? .absent } }

  public func save(_ key: String?) throws(APIKeyStoreFault) { try write(key?.trimmedNonEmpty) }

  public func write(_ key: String?) throws(APIKeyStoreFault) { stored.withLock { $0 = key } }
}
