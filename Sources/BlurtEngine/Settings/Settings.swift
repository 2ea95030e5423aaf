/// The settings, each decoded with its default (P-03). A value of the wrong type reads as the default (P-07).
///
/// A small value over its backing: make one whenever it is needed, keep none of what it returns.
public struct Settings: Sendable {
  private let backing: any SettingsBacking
  private let prefix: String

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    self.backing = backing
    self.prefix = prefix
  }

  /// The trigger key as it is stored, an evdev code or its name; nil where none is (P-11).
  public var triggerKey: SettingValue? { backing.value(forKey: SettingsKey.triggerKeyCode.name(prefix: prefix)) }

  /// `TapOrHold`, `Tap` or `Hold` as stored (P-21); nil where none is.
  public var triggerActivation: String? { string(.triggerActivation) }

  /// The ALSA PCM to record from (P-24). Empty or unset: `default`.
  public var microphone: String { string(.micDeviceUID)?.trimmedNonEmpty ?? "default" }

  /// The engine that was chosen; nil when unset or unknown, which means the first one that can work.
  public var engine: EngineKind? { string(.engineKind).flatMap(EngineKind.init(rawValue:)) }

  /// Whether a failed request is given to the offline engine: unless `none` is stored.
  public var fallsBackToOffline: Bool { string(.fallbackEngine) != "none" }

  /// Minutes after which the idle offline engine is stopped; 0 keeps it (default 10).
  public var offlineIdleMinutes: Double {
    guard let minutes = number(.offlineIdleMinutes), minutes >= 0, minutes.isFinite else { return 10 }
    return minutes
  }

  /// Only engines on this machine may be used.
  public var staysLocal: Bool { bool(.stayLocal) ?? false }

  /// The service's address as stored (P-25); nil for the default.
  public var origin: String? { string(.origin)?.trimmedNonEmpty }

  /// Whether the rewritten text is shown rather than the verbatim one. Absent means on (P-16).
  public var enhancedTranscripts: Bool { bool(.enhancedTranscripts) ?? true }

  /// Whether the slower, smarter rewrite is asked for (P-23: fast unless `Smart` is stored).
  public var usesSmartRewrite: Bool { string(.rewriteMode)?.lowercased() == "smart" }

  /// The words to listen for (P-14, P-18).
  public var keyTerms: [String] { Self.parseKeyTerms(string(.keyTerms) ?? "") }

  /// Whether recordings are kept until they are delivered (default on).
  public var keepsAudio: Bool { bool(.keepAudio) ?? true }

  /// Whether dictations and failures are written down for developers. Absent means off (P-15, P-83).
  public var developerMode: Bool { bool(.developerMode) ?? false }

  /// Whether presses are answered at all (default on).
  public var listens: Bool { bool(.listening) ?? true }

  /// Minutes after the last word at which the listening window closes; 0 never closes it (default 0, S-118).
  public var listeningMinutes: Double {
    guard let minutes = number(.listeningMinutes), minutes >= 0, minutes.isFinite else { return 0 }
    return minutes
  }

  /// Splits at commas, trims, drops blanks and case-insensitive repeats; the first spelling stays (P-18).
  public static func parseKeyTerms(_ text: String) -> [String] {
    var seen: Set<String> = []
    return text.split(separator: ",").compactMap(\.trimmedNonEmpty).filter { seen.insert($0.lowercased()).inserted }
  }

  private func string(_ key: SettingsKey) -> String? {
    if case .string(let value) = backing.value(forKey: key.name(prefix: prefix)) { return value }
    return nil
  }

  private func bool(_ key: SettingsKey) -> Bool? {
    if case .bool(let value) = backing.value(forKey: key.name(prefix: prefix)) { return value }
    return nil
  }

  private func number(_ key: SettingsKey) -> Double? {
    if case .number(let value) = backing.value(forKey: key.name(prefix: prefix)) { return value }
    return nil
  }
}
