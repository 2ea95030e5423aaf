import BlurtEngine
import BlurtTestSupport
import FoundationEssentials
import Testing

/// What the suites of the stores share.
enum SettingFixtures {
  /// A value as it stands in the settings file.
  static func json(_ text: String) throws -> SettingValue {
    try JSONDecoder().decode(SettingValue.self, from: Data(text.utf8))
  }

  /// Values of every type that a list or an object may have in the place of the right one.
  static let wrongTypes: [SettingValue] = [
    .bool(true), .number(3), .string("x"), .list([.number(1)]), .list([.list([])]), .object(["id": .number(1)]),
    .object(["97": .number(1)]), .object(["97": .object(["action": .bool(false)])]),
  ]

  /// A backing that cannot be written.
  struct ReadOnly: SettingsBacking {
    var values: [String: SettingValue] = [:]
    func value(forKey key: String) -> SettingValue? { values[key] }
  }
}

extension Result where Failure == SettingRefusal {
  /// The reason of a refusal; nil where the value was taken.
  var sentence: String? {
    if case .failure(let refusal) = self { return refusal.reason }
    return nil
  }

  var value: Success? { try? get() }
}
