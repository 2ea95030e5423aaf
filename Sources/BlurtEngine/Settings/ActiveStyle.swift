/// What the pointer to the active style means (P-32).
public enum ActiveStyle: Sendable, Hashable {
  /// Nothing was chosen yet: the first profile.
  case unset
  /// The user wants the base instruction alone, whatever profiles there are (P-33).
  case base
  /// That profile, or the first where it is gone (P-36).
  case profile(id: String)

  /// What is stored for `base`. No profile may have it as its id.
  public static let baseSentinel = "default"

  init(stored text: String?) {
    switch text?.trimmedNonEmpty {
    case nil: self = .unset
    case Self.baseSentinel: self = .base
    case let id?: self = .profile(id: id)
    }
  }

  /// What is stored; nil for nothing.
  var stored: String? {
    switch self {
    case .unset: nil
    case .base: Self.baseSentinel
    case .profile(let id): id
    }
  }
}
