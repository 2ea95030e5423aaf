/// How the daemon is: the answer to `status`. Whatever it cannot tell is absent.
package struct DaemonStatus: Hashable, Sendable {
  /// The number of the wire protocol, `protocol` on the wire.
  package var protocolNumber: Int = SessionContract.protocolNumber
  package var capabilities: [String] = SessionContract.capabilities
  /// The daemon's version.
  package var version: String = ProductVersion.current
  package var processID: Int?
  package var phase: DictationPhase?
  /// The number of the newest dictation.
  package var dictation: UInt64?
  /// A press would be accepted when no dictation runs.
  package var listening: Bool?
  /// Why not.
  package var reason: FailureReason?
  /// The state of the listening window (S-136…S-145).
  package var window: ListeningState?
  /// Who owns the running dictation (S-129): `user`, `key` or `client`; absent when none runs.
  package var owner: String?
  /// One line for people, the newest that matters (Y-129).
  package var message: String?
  /// The engine that would transcribe now.
  package var engine: String?
  /// The engine that takes over when it fails.
  package var fallbackEngine: String?
  /// Whether there is an API key. Never the key.
  package var apiKey: Bool?
  /// What is shown of it (T-107).
  package var apiKeyDisplay: String?
  /// Everything is there that a dictation needs: an engine, a microphone, a display, a keyboard (P-78). Absent while a part
  /// has not been tried yet.
  package var ready: Bool?
  /// Whether audio may only go to engines on this machine.
  package var stayLocal: Bool?
  package var hotkey: PartStatus?
  package var microphone: PartStatus?
  package var display: PartStatus?
  package var spool: SpoolStatus?

  package init() {}

  var members: JSONObject {
    var members: JSONObject = [:]
    members.set("protocol", protocolNumber)
    members.set("capabilities", capabilities)
    members.set("version", version)
    members.set("processID", processID)
    members.set("phase", phase?.rawValue)
    members.set("dictation", dictation)
    members.set("listening", listening)
    members.set("reason", reason?.rawValue)
    members.set("window", window?.rawValue)
    members.set("owner", owner)
    members.set("message", message)
    members.set("engine", engine)
    members.set("fallbackEngine", fallbackEngine)
    members.set("apiKey", apiKey)
    members.set("apiKeyDisplay", apiKeyDisplay)
    members.set("ready", ready)
    members.set("stayLocal", stayLocal)
    members.set("hotkey", hotkey?.members)
    members.set("microphone", microphone?.members)
    members.set("display", display?.members)
    members.set("spool", spool?.members)
    return members
  }

  init(fields: WireObject) throws {
    protocolNumber = Int(clamping: try fields.count("protocol") ?? 0)
    capabilities = try fields.strings("capabilities") ?? []
    version = try fields.string("version") ?? ""
    processID = try fields.count("processID").map { Int(clamping: $0) }
    phase = try fields.string("phase").flatMap { DictationPhase(rawValue: $0) }
    dictation = try fields.count("dictation")
    listening = try fields.bool("listening")
    reason = try fields.string("reason").map { FailureReason(wire: $0) }
    window = try fields.string("window").flatMap { ListeningState(rawValue: $0) }
    owner = try fields.string("owner")
    message = try fields.string("message")
    engine = try fields.string("engine")
    fallbackEngine = try fields.string("fallbackEngine")
    apiKey = try fields.bool("apiKey")
    apiKeyDisplay = try fields.string("apiKeyDisplay")
    ready = try fields.bool("ready")
    stayLocal = try fields.bool("stayLocal")
    hotkey = try fields.object("hotkey").map { try PartStatus(fields: $0) }
    microphone = try fields.object("microphone").map { try PartStatus(fields: $0) }
    display = try fields.object("display").map { try PartStatus(fields: $0) }
    spool = try fields.object("spool").map { try SpoolStatus(fields: $0) }
  }
}
