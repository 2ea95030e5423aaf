/// The voice of the cues that the user has chosen (P-12).
///
/// Stored as `BlurtSoundPack`, the id of a pack.
public struct SoundPackStore: Sendable {
  private let settings: StoredSettings

  public init(backing: any SettingsBacking, prefix: String = "Blurt") {
    settings = StoredSettings(backing: backing, prefix: prefix)
  }

  /// The pack that is chosen in that catalogue. Unset and unknown mean its default (P-50).
  public func pack(in catalogue: SoundPackCatalog) -> SoundPack {
    catalogue.pack(storedID: settings.string(.soundPack))
  }

  /// Chooses a pack.
  public func choose(_ pack: SoundPack) throws { try settings.store(.string(pack.id), for: .soundPack) }

  /// `BlurtSoundPack` as it is to be stored. With a catalogue, an id that it does not have is refused.
  public static func normalise(
    _ value: SettingValue, catalogue: SoundPackCatalog? = nil
  ) -> Result<SettingValue, SettingRefusal> {
    guard case .string(let text) = value, let id = text.trimmedNonEmpty else {
      return .failure(
        SettingRefusal(message: "The sound pack is the id of a pack; \"\(SoundPack.silent.id)\" is silent."))
    }
    if let catalogue, catalogue.pack(id: id) == nil {
      return .failure(SettingRefusal(message: "There is no sound pack \"\(id)\"; \(catalogue.choices)."))
    }
    return .success(.string(id))
  }
}
