import BlurtEngine
import BlurtTestSupport

/// Settings in memory.
final class MemoryBacking: WritableSettingsBacking {
  private let values: Box<[String: SettingValue]>

  init(_ values: [String: SettingValue] = [:]) { self.values = Box(values) }

  func value(forKey key: String) -> SettingValue? { values.value[key] }
  func store(_ value: SettingValue?, forKey key: String) throws { values.update { $0[key] = value } }
}
