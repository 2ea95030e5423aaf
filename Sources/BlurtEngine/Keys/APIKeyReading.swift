/// What is known of a stored key (T-109). Prints no key, wherever it is interpolated or dumped.
public enum APIKeyReading: Sendable, Hashable {
  case found(String)
  /// The store was asked and has none.
  case absent
  /// The store could not say: it is locked, does not answer, or has not been asked yet. The sentence says what helps.
  case unavailable(String)

  /// The key, where there is one.
  public var key: String? {
    if case .found(let key) = self { return key }
    return nil
  }

  /// The store gave an answer that counts until somebody saves.
  public var isDefinite: Bool {
    if case .unavailable = self { return false }
    return true
  }
}

extension APIKeyReading: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch self {
    case .found: "found"
    case .absent: "absent"
    case .unavailable(let reason): "unavailable (\(reason))"
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
