internal import Synchronization

/// Remembers what a slow store has answered (T-109, T-110).
///
/// A key that was found and one that is definitely not there are remembered. "The store is unavailable" is not, so that
/// whoever asks next asks the store again. `known` never waits; the other members hold one lock while the store works.
public final class MemoizedAPIKeyStore: APIKeyGateway {
  /// What `known` says before the store has been asked.
  public static let notAskedYet = "The key's store has not answered yet: try again in a moment."

  private let storage: any APIKeyStorage
  /// One read or save at a time. Held while the store works, so never taken by `known`.
  private let turn = Mutex(())
  /// A definite answer, or why there was none.
  private let memo = Mutex(APIKeyReading.unavailable(notAskedYet))

  public init(_ storage: any APIKeyStorage) { self.storage = storage }

  public var known: APIKeyReading { memo.withLock { $0 } }

  public func read() -> APIKeyReading {
    turn.withLock { _ in
      let known = known
      return known.isDefinite ? known : ask()
    }
  }

  /// Asks the store whatever is known: for somebody who has changed it by other means.
  public func readAgain() -> APIKeyReading { turn.withLock { _ in ask() } }

  public func save(_ key: String?) throws(APIKeyStoreFault) {
    let key = key?.trimmedNonEmpty
    let fault: APIKeyStoreFault? = turn.withLock { _ in
      do throws(APIKeyStoreFault) {
        try storage.write(key)
      } catch {
        unload("The key could not be saved.")
        return error
      }
      let reading = storage.read()
      guard reading.isDefinite, reading.key == key else {
        unload("What was saved could not be read back.")
        return APIKeyStoreFault(
          key == nil
            ? "The key's store did not remove the key."
            : "The key's store did not give back what was saved. \(Self.why(reading))")
      }
      memo.withLock { $0 = reading }
      return nil
    }
    if let fault { throw fault }
  }

  private func ask() -> APIKeyReading {
    let reading = storage.read()
    memo.withLock { $0 = reading }
    return reading
  }

  private func unload(_ reason: String) { memo.withLock { $0 = .unavailable(reason) } }

  private static func why(_ reading: APIKeyReading) -> String {
    if case .unavailable(let reason) = reading { return reason }
    return "Try again."
  }
}
