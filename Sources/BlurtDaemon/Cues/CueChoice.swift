internal import BlurtCues
package import BlurtEngine

/// Which pack a dictation sounds with: that of its key where it has one of its own, else the chosen one (P-12, P-13).
package struct CueChoice: Sendable {
  private let backing: any SettingsBacking
  private let prefix: String
  private let catalogue: SoundPackCatalog

  package init(
    backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix,
    catalogue: SoundPackCatalog = CueCatalogue.packs
  ) {
    self.backing = backing
    self.prefix = prefix
    self.catalogue = catalogue
  }

  /// The pack of `BlurtSoundPack`.
  package var pack: SoundPack { SoundPackStore(backing: backing, prefix: prefix).pack(in: catalogue) }

  /// The pack of a dictation; `key` is the trigger key that pressed, nil where none did.
  package func pack(of key: TriggerKey?) -> SoundPack {
    guard let key else { return pack }
    return TriggerKeySoundStore(backing: backing, prefix: prefix).pack(of: key, in: catalogue, otherwise: pack)
  }
}
