/// The sound pack of each trigger key that has one of its own (P-13).
///
/// Stored as `BlurtTriggerKeySounds`, an object from evdev codes to ids of packs.
public struct TriggerKeySoundStore: Sendable {
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// The ids by key. A value that cannot be read is none (P-07).
  public var packIDs: [TriggerKey: String] {
    guard let value = settings[.triggerKeySounds] else { return [:] }
    return (try? Self.decode(value, from: .storage)) ?? [:]
  }

  /// The pack of a key: its own, or that of its action where it has none or one that is gone.
  public func pack(of key: TriggerKey, in catalogue: SoundPackCatalog, otherwise actionPack: SoundPack) -> SoundPack {
    packIDs[key].flatMap { catalogue.pack(id: $0) } ?? actionPack
  }

  /// Gives a key a pack of its own; nil takes it away.
  public func setPackID(_ id: String?, of key: TriggerKey) throws {
    var packIDs = packIDs
    packIDs[key] = id?.trimmedNonEmpty
    try settings.store(Self.encode(packIDs), for: .triggerKeySounds)
  }

  /// `BlurtTriggerKeySounds` as it is to be stored. With a catalogue, ids that it does not have are refused.
  public static func normalise(
    _ value: SettingValue, catalogue: SoundPackCatalog? = nil
  ) -> Result<SettingValue, SettingRefusal> {
    do throws(SettingRefusal) {
      let packIDs = try decode(value, from: .person)
      for (key, id) in packIDs.sorted(by: { $0.key.code < $1.key.code }) {
        if let catalogue, catalogue.pack(id: id) == nil {
          throw SettingRefusal(
            "\(key.label) has the sound pack \"\(id.prefix(maxUTF8Bytes: 64))\"; \(catalogue.choices)")
        }
      }
      return .success(encode(packIDs))
    } catch {
      return .failure(error)
    }
  }

  /// What counts of a stored value that would be refused as a new one; nil where it cannot be read.
  public static func salvage(_ stored: SettingValue) -> SettingValue? {
    (try? decode(stored, from: .storage)).map(encode)
  }

  private static func decode(
    _ value: SettingValue, from source: SettingSource
  ) throws(SettingRefusal) -> [TriggerKey: String] {
    var packIDs: [TriggerKey: String] = [:]
    for (key, value) in try TriggerKeyMap.entries(of: value, title: "the sounds of the trigger keys", from: source) {
      guard case .string(let text) = value, let id = text.trimmedNonEmpty else {
        throw SettingRefusal("\(key.label) has a sound pack that is no text; write the id of a pack")
      }
      packIDs[key] = id
    }
    return packIDs
  }

  private static func encode(_ packIDs: [TriggerKey: String]) -> SettingValue {
    TriggerKeyMap.value(of: packIDs.mapValues(SettingValue.string))
  }
}
