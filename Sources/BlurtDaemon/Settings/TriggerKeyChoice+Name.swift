internal import BlurtEngine

extension TriggerKeyChoice {
  /// As the settings file and the wire have it.
  var name: String {
    switch self {
    case .off: "off"
    case .dictate: "dictate"
    case .readAloud: "readAloud"
    case .ask: "ask"
    }
  }
}
