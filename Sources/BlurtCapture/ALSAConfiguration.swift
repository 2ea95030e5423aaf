internal import CALSA

/// The configuration that libasound keeps for the whole process: a few milliseconds to read, so it is read early.
enum ALSAConfiguration {
  /// Reads it where it was never read or its files have changed (`snd_config_update`). Opens no device.
  static func load() {
    ALSAMessages.catchOnThisThread()
    _ = snd_config_update()
  }

  /// Forgets it, so that the next open reads it anew.
  ///
  /// Needed where a sound server came or went: ALSA's `default` is decided while the configuration is read. A PCM
  /// being opened meanwhile holds a reference of its own (libasound 1.1.2 and later).
  static func forget() { _ = snd_config_update_free_global() }
}
