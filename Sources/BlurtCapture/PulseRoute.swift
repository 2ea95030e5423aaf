internal import CALSA
internal import Glibc

/// The sound server's source that ALSA's configuration means by a PCM name.
///
/// Where that configuration only hands a name on to PulseAudio's protocol, the server is asked itself: its plug-in for
/// ALSA has a thread of its own that wakes at each packet (DESIGN.md, "Decisions").
struct PulseRoute: Hashable, Sendable {
  /// The server's address; nil for the one that libpulse finds.
  var server: String?
  /// The source's name; nil for the server's default.
  var source: String?

  /// Members of such a PCM that change nothing of how sound is recorded.
  private static let known: Set<String> = ["type", "server", "device", "hint", "comment", "handle_underrun"]

  /// - Returns: nil where the PCM is anything else, or is not defined at all.
  static func find(_ name: String) -> PulseRoute? {
    var updated: OpaquePointer?
    guard snd_config_update_ref(&updated) >= 0, let top = updated else { return nil }
    defer { snd_config_unref(top) }
    var found: OpaquePointer?
    guard snd_config_search_definition(top, "pcm", name, &found) >= 0, let definition = found else { return nil }
    defer { snd_config_delete(definition) }
    guard snd_config_get_type(definition) == SND_CONFIG_TYPE_COMPOUND else { return nil }
    var route = PulseRoute()
    var isPulse = false
    var iterator = snd_config_iterator_first(definition)
    while let entry = iterator, entry != snd_config_iterator_end(definition) {
      iterator = snd_config_iterator_next(entry)
      guard let node = snd_config_iterator_entry(entry) else { continue }
      var identifier: UnsafePointer<CChar>?
      var text: UnsafePointer<CChar>?
      guard snd_config_get_id(node, &identifier) >= 0, let identifier else { continue }
      let member = String(cString: identifier)
      // What we do not know may mean that something else is wanted.
      guard known.contains(member) else { return nil }
      guard snd_config_get_string(node, &text) >= 0, let text else { continue }
      let value = String(cString: text)
      switch member {
      case "type": isPulse = value == "pulse"
      case "server": route.server = value.isEmpty ? nil : value
      case "device": route.source = value.isEmpty ? nil : value
      default: break
      }
    }
    return isPulse ? route : nil
  }
}
