/// The user's styles and which of them is active (P-17, P-31…P-38).
///
/// Stored as `BlurtStyleProfiles`, a list of objects with `id`, `name` and `instructions`, and `BlurtActiveStyleProfile`,
/// the id of one of them or `default`. Reads are live; only `save`, `remove` and `activate` write.
public struct StyleProfileStore: Sendable {
  /// The most profiles (P-31).
  public static let countLimit = 4
  /// The id and the name of the one profile that is made of `BlurtCustomStyle`, an older version's only style (P-35).
  public static let legacyID = "custom"
  public static let legacyName = "Custom"

  /// The most that the setting takes, by name.
  static let limits = [
    "entries": countLimit, "id": StyleProfile.idLimit, "name": StyleProfile.nameLimit,
    "instructionsBytes": CleanupInstruction.styleByteLimit,
  ]
  /// Told apart by their ids, else by their names; named by either.
  static let settingEntries: SettingEntries = {
    let place: SettingEntries.Place<String> = { word, entries in
      let wanted = word.trimmingWhitespace()
      return entries.firstIndex { $0.text(of: "id") == wanted }
        ?? entries.firstIndex { $0.text(of: "name")?.lowercased() == wanted.lowercased() }
    }
    return .list(
      placeOfEntry: { entry, entries in
        let id = entry.text(of: "id")?.trimmedNonEmpty
        return id.map { id in entries.firstIndex { $0.text(of: "id") == id } }
          ?? entry.text(of: "name").flatMap { place($0, entries) }
      }, placeOfWord: place,
      replacing: { old, new in
        // Whoever names a style by its name alone keeps its id: other settings refer to that.
        guard case .object(var members) = new, new.text(of: "id")?.trimmedNonEmpty == nil, let id = old.text(of: "id")
        else { return new }
        members["id"] = .string(id)
        return .object(members)
      })
  }()

  private static let memberNames = ["id", "name", "instructions"]
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// The profiles, ready to be used. A list that cannot be read is none; it also hides the older style (P-07, P-35).
  public var profiles: [StyleProfile] {
    guard let value = settings[.styleProfiles] else { return legacyProfiles }
    guard let profiles = try? Self.decode(value, from: .storage) else { return [] }
    return Self.normalise(profiles)
  }

  /// The pointer as it is stored. A value of the wrong type is as good as none (P-07).
  public var active: ActiveStyle { ActiveStyle(stored: settings.string(.activeStyleProfile)) }

  /// The profile of the bound key's dictations; nil for the base instruction alone (P-32, P-36).
  public var activeProfile: StyleProfile? {
    let profiles = profiles
    switch active {
    case .unset: return profiles.first
    case .base: return nil
    case .profile(let id): return profiles.first { $0.id == id } ?? profiles.first
    }
  }

  /// What a dictation is told and called. The name is left out while rewriting is off (P-37); the instructions are not,
  /// for only the choice of text differs then (P-38).
  public func dictationStyle(isEnhanced: Bool) -> DictationStyle? {
    activeProfile.map { Self.dictationStyle(of: $0, isEnhanced: isEnhanced) }
  }

  /// The style of a press by a key with a choice of its own (H-59). A style that is gone means the base.
  public func dictationStyle(of choice: TriggerKeyChoice, isBoundKey: Bool, isEnhanced: Bool) -> DictationStyle? {
    if isBoundKey { return dictationStyle(isEnhanced: isEnhanced) }
    guard case .dictate(let style?) = choice else { return nil }
    return profiles.first { $0.id == style }.map { Self.dictationStyle(of: $0, isEnhanced: isEnhanced) }
  }

  /// Stores the profiles, normalised; those over the limit are left out (P-06).
  public func save(_ profiles: [StyleProfile]) throws {
    try settings.store(Self.encode(Self.normalise(profiles)), for: .styleProfiles)
  }

  /// Removes one profile. The pointer is left as it is: where it is stale, the first one takes over (P-36).
  public func remove(id: String) throws { try save(profiles.filter { $0.id != id }) }

  /// Chooses a profile, the base (P-33), or nothing.
  public func activate(_ style: ActiveStyle) throws {
    try settings.store(style.stored.map(SettingValue.string), for: .activeStyleProfile)
  }

  // MARK: What a person hands in

  /// `BlurtStyleProfiles` as it is to be stored. A missing or blank `id` is made from the name.
  public static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    do throws(SettingRefusal) {
      let profiles = try decode(value, from: .person)
      try check(profiles)
      return .success(encode(normalise(profiles)))
    } catch {
      return .failure(error)
    }
  }

  /// `BlurtActiveStyleProfile` as it is to be stored. Whether a profile has that id is not asked.
  public static func normaliseActive(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value, let id = text.trimmedNonEmpty, id.count <= StyleProfile.idLimit else {
      return .failure(
        SettingRefusal(
          "the active style is the id of a style, of at most \(StyleProfile.idLimit) characters, "
            + "or \"\(ActiveStyle.baseSentinel)\" for none"))
    }
    return .success(.string(id))
  }

  /// What counts of a stored list that would be refused as a new one; nil where it cannot be read.
  public static func salvage(_ stored: SettingValue) -> SettingValue? {
    (try? decode(stored, from: .storage)).map { encode(normalise($0)) }
  }

  // MARK: The forms

  private static func dictationStyle(of profile: StyleProfile, isEnhanced: Bool) -> DictationStyle {
    DictationStyle(name: isEnhanced ? profile.name : nil, instructions: profile.instructions.trimmedNonEmpty)
  }

  private var legacyProfiles: [StyleProfile] {
    guard let text = settings.string(.customStyle)?.trimmedNonEmpty else { return [] }
    return [StyleProfile(id: Self.legacyID, name: Self.legacyName, instructions: text).normalised]
  }

  private static func decode(_ value: SettingValue, from source: SettingSource) throws(SettingRefusal) -> [StyleProfile]
  {
    guard case .list(let values) = value else {
      throw SettingRefusal("the styles are a list of objects with \(memberNames.joined(separator: ", "))")
    }
    var profiles: [StyleProfile] = []
    for (index, value) in values.enumerated() {
      let entry = try StoredEntry(value, title: "style \(index + 1)", allowing: memberNames, from: source)
      profiles.append(
        StyleProfile(
          id: try source == .storage ? entry.string("id") : entry.optionalString("id") ?? "",
          name: try entry.string("name"), instructions: try entry.string("instructions")))
    }
    return source == .person ? withIDs(profiles) : profiles
  }

  private static func encode(_ profiles: [StyleProfile]) -> SettingValue {
    .list(
      profiles.map {
        .object(["id": .string($0.id), "name": .string($0.name), "instructions": .string($0.instructions)])
      })
  }

  /// At most four, each with an id of its own that is not the sentinel.
  private static func normalise(_ profiles: [StyleProfile]) -> [StyleProfile] {
    var ids: Set = [ActiveStyle.baseSentinel, ""]
    return Array(profiles.map(\.normalised).filter { ids.insert($0.id).inserted }.prefix(countLimit))
  }

  private static func check(_ profiles: [StyleProfile]) throws(SettingRefusal) {
    guard profiles.count <= countLimit else {
      throw SettingRefusal("there are \(profiles.count) styles; at most \(countLimit) are allowed")
    }
    var indexes: [String: Int] = [:]
    for (index, profile) in profiles.enumerated() {
      let title = "style \(index + 1)"
      let (id, name) = (profile.id.trimmingWhitespace(), profile.name.trimmingWhitespace())
      if id == ActiveStyle.baseSentinel {
        throw SettingRefusal("\(title) has the id \"\(id)\", which means no style; give it another id")
      }
      if id.count > StyleProfile.idLimit {
        throw SettingRefusal(
          "\(title) has an id of \(id.count) characters; at most \(StyleProfile.idLimit) are allowed")
      }
      if let other = indexes.updateValue(index, forKey: id) {
        throw SettingRefusal("\(title) has the same id as style \(other + 1); give each its own")
      }
      if name.count > StyleProfile.nameLimit {
        throw SettingRefusal(
          "\(title) has a name of \(name.count) characters; at most \(StyleProfile.nameLimit) are allowed")
      }
      let byteCount = profile.instructions.trimmingWhitespace().utf8.count
      if byteCount > CleanupInstruction.styleByteLimit {
        throw SettingRefusal(
          "\(title) has instructions of \(byteCount) bytes; at most \(CleanupInstruction.styleByteLimit) are "
            + "sent, so shorten them")
      }
    }
  }

  /// Gives each profile without an id one that is made from its name.
  private static func withIDs(_ profiles: [StyleProfile]) -> [StyleProfile] {
    var taken = Set(profiles.map { $0.id.trimmingWhitespace() })
    taken.insert(ActiveStyle.baseSentinel)
    return profiles.map { profile in
      guard profile.id.trimmedNonEmpty == nil else { return profile }
      let base = idBase(of: profile.name)
      var (id, number) = (base, 1)
      while !taken.insert(id).inserted {
        number += 1
        id = "\(base)-\(number)"
      }
      return StyleProfile(id: id, name: profile.name, instructions: profile.instructions)
    }
  }

  /// Lower-case ASCII letters and digits of a name, with hyphens in between; `style` where it has none.
  private static func idBase(of name: String) -> String {
    let words = name.prefix(StyleProfile.nameLimit).lowercased().split {
      !($0.isASCII && ($0.isLetter || $0.isNumber))
    }
    return words.isEmpty ? "style" : words.joined(separator: "-")
  }
}
