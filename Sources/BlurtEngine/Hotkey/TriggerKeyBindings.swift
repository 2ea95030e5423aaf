/// What every trigger key does: one read of all that is stored about them, and the writes (H-55…H-59).
///
/// A value: `TriggerKeyBindingStore` reads it and writes what was changed.
public struct TriggerKeyBindings: Sendable, Hashable {
  /// One key with what a press of it does.
  public struct Binding: Sendable, Hashable {
    public let key: TriggerKey
    public let choice: TriggerKeyChoice
    public let mode: ActivationMode
    /// It is *the* key: its style is the active one (H-59).
    public let isBound: Bool
  }

  /// What is stored for one key. What is nil is as by default.
  struct Entry: Sendable, Hashable {
    var choice: TriggerKeyChoice?
    var mode: ActivationMode?

    var isEmpty: Bool { choice == nil && mode == nil }
  }

  /// The key that is stored as the one that dictates. It may be off.
  var storedKey: TriggerKey
  /// The mode of every key without one of its own.
  public internal(set) var mode: ActivationMode
  var entries: [TriggerKey: Entry]
  /// Whether there is a service that speaks, without which no key reads aloud by default (H-64).
  public let canReadAloud: Bool

  /// *The* key that dictates, whose style is the active one: the stored one as long as it dictates, else the first of
  /// `TriggerKey.all` that does; nil where none does (H-57).
  public var dictationKey: TriggerKey? {
    if choice(of: storedKey).dictates { return storedKey }
    return TriggerKey.all.first { choice(of: $0).dictates }
  }

  /// What a press of that key does. By default the stored key dictates, Left Alt reads aloud where that can be had, and the
  /// rest is off (H-56, H-64).
  public func choice(of key: TriggerKey) -> TriggerKeyChoice {
    entries[key]?.choice ?? defaultChoice(of: key)
  }

  private func defaultChoice(of key: TriggerKey) -> TriggerKeyChoice {
    if key == storedKey { return .dictate(style: nil) }
    return key == .leftAlt && canReadAloud ? .readAloud : .off
  }

  /// How presses of that key are meant (H-36).
  public func mode(of key: TriggerKey) -> ActivationMode { entries[key]?.mode ?? mode }

  /// That key with all that is known of it.
  public subscript(key: TriggerKey) -> Binding {
    Binding(key: key, choice: choice(of: key), mode: mode(of: key), isBound: key == dictationKey)
  }

  /// Every key, in the order of the roster.
  public var all: [Binding] {
    let bound = dictationKey
    return TriggerKey.all.map {
      Binding(key: $0, choice: choice(of: $0), mode: mode(of: $0), isBound: $0 == bound)
    }
  }

  /// The keys that the hotkey must listen for, the bound one first: those that dictate. A key that reads aloud is none
  /// while nothing can speak.
  public var activations: [TriggerKeyActivation] {
    let dictating = all.filter(\.choice.dictates)
    return (dictating.filter(\.isBound) + dictating.filter { !$0.isBound }).map {
      TriggerKeyActivation($0.key, mode: $0.mode)
    }
  }

  // MARK: Writes (H-58)

  /// Changes what one key does. Where the bound key stops dictating, the first one that still does takes its place; where
  /// none dictated, the key that now does is bound (H-57).
  public mutating func setChoice(_ choice: TriggerKeyChoice, of key: TriggerKey) {
    let former = dictationKey
    entries[key, default: Entry()].choice = choice
    if former == nil || former == key { storedKey = dictationKey ?? storedKey }
    prune()
  }

  /// Gives an action to one key and takes it from every other one, also from one that had it by default.
  public mutating func assign(_ choice: TriggerKeyChoice, to key: TriggerKey) {
    let others = TriggerKey.all.filter { $0 != key && choice != .off && self.choice(of: $0).isSameAction(as: choice) }
    entries[key, default: Entry()].choice = choice
    for other in others { entries[other, default: Entry()].choice = .off }
    storedKey = choice.dictates ? key : dictationKey ?? storedKey
    prune()
  }

  /// Makes a key *the* one: it dictates, in the active style. The former one goes back to its default, which is off, unless
  /// it was told to dictate besides.
  public mutating func bind(_ key: TriggerKey) {
    storedKey = key
    if !choice(of: key).dictates { entries[key]?.choice = nil }
    prune()
  }

  /// One mode for every key; none keeps one of its own.
  public mutating func setActivation(_ mode: ActivationMode) {
    self.mode = mode
    for key in entries.keys { entries[key]?.mode = nil }
  }

  /// A mode for one key alone.
  public mutating func setActivation(_ mode: ActivationMode, of key: TriggerKey) {
    entries[key, default: Entry()].mode = mode
  }

  /// Stores nothing for what is as by default.
  private mutating func prune() {
    for key in entries.keys where entries[key]?.choice == defaultChoice(of: key) { entries[key]?.choice = nil }
  }
}
