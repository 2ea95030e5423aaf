/// The voice of the cues that the user has chosen (P-12).
///
/// Stored as `BlurtSoundPack`, the id of a pack.
public struct SoundPackStore: Sendable {
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// The stored id, whatever it is; nil where none is.
  public var current: String? { settings.string(.soundPack)?.trimmedNonEmpty }

  /// The pack that is chosen in that catalogue. Unset and unknown mean its default (P-50).
  public func pack(in catalogue: SoundPackCatalog) -> SoundPack { catalogue.pack(storedID: current) }

  /// Chooses a pack.
  public func choose(_ pack: SoundPack) throws { try settings.store(.string(pack.id), for: .soundPack) }

  /// `BlurtSoundPack` as it is to be stored. With a catalogue, an id that it does not have is refused.
  public static func normalise(
    _ value: SettingValue, catalogue: SoundPackCatalog? = nil
  ) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value, let id = text.trimmedNonEmpty else {
      return .failure(
        SettingRefusal("the sound pack is the id of a pack; \"\(SoundPack.silent.id)\" is silent"))
    }
    if let catalogue, catalogue.pack(id: id) == nil {
      return .failure(SettingRefusal("there is no sound pack \"\(id.prefix(maxUTF8Bytes: 64))\"; \(catalogue.choices)"))
    }
    return .success(.string(id))
  }
}
