internal import CALSA
internal import Glibc

/// The PCMs that ALSA's configuration offers for recording besides those of the cards: a sound server, BlueALSA, the
/// user's own.
enum PCMHints {
  struct Hint: Sendable, Hashable {
    let name: String
    let label: String
  }

  /// What converts another PCM or delivers nothing: no microphone of its own.
  private static let converters: Set<String> = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52", "usbstream", "jack", "oss",
    "sysdefault", "dsnoop", "dmix",
  ]

  /// Asks libasound (`snd_device_name_hint`). It reads its configuration, and may ask whether a server runs: on a thread
  /// that may block.
  static func read() -> [Hint] {
    ALSAMessages.catchOnThisThread()
    ALSAConfiguration.forget()
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &list) >= 0, let hints = list else { return [] }
    defer { snd_device_name_free_hint(hints) }
    var found: [Hint] = []
    var next = hints
    while let hint = next.pointee {
      next += 1
      guard let name = text(hint, "NAME"), text(hint, "IOID") != "Output", isOwn(name) else { continue }
      let label = text(hint, "DESC")?.split(separator: "\n").joined(separator: ", ") ?? name
      found.append(Hint(name: name, label: label))
    }
    return found
  }

  /// Whether a PCM stands for something to record from, and not for a card, which is listed by itself, or a converter.
  static func isOwn(_ name: String) -> Bool {
    !name.contains("CARD=") && !converters.contains(String(name.prefix { $0 != ":" }))
  }

  private static func text(_ hint: UnsafeMutableRawPointer, _ field: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, field) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
