public import BlurtEngine

/// A backing in memory that can be told to fail.
public final class MemorySettings: WritableSettingsBacking {
  public struct Refusal: Error, Sendable, Hashable {
    public init() {}
  }

  private let values: Box<[String: SettingValue]>
  /// The keys that cannot be stored.
  public let failing = Box<Set<String>>([])
  /// The keys that were stored or removed, in order.
  public let writes = Box<[String]>([])

  public init(_ values: [String: SettingValue] = [:]) { self.values = Box(values) }

  /// All that is stored.
  public var all: [String: SettingValue] { values.value }

  public func value(forKey key: String) -> SettingValue? { values.value[key] }

  public func store(_ value: SettingValue?, forKey key: String) throws {
    if failing.value.contains(key) { throw Refusal() }
    writes.append(key)
    values.update { $0[key] = value }
  }

  /// Changes a value behind the stores' backs.
  public func put(_ value: SettingValue?, forKey key: String) { values.update { $0[key] = value } }
}
