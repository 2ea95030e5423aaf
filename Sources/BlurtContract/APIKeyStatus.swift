/// What is shown of a stored key (T-105…T-108): the answer to `apiKey`, `setApiKey` and `clearApiKey`. Never the key.
package struct APIKeyStatus: Hashable, Sendable {
  /// The engine that the key is for.
  package var engine: String
  /// Whether there is a key.
  package var connected: Bool
  /// Four bullets and the last four characters, or words.
  package var display: String
  /// Where it comes from: `credential`, `environment`, `secretService`, `file`; absent where there is none.
  package var source: String?
  /// Whether its service takes it: `valid`, `invalid`, `unreachable`; absent where nobody asked.
  package var verdict: String?

  package init(engine: String, connected: Bool, display: String, source: String? = nil, verdict: String? = nil) {
    self.engine = engine
    self.connected = connected
    self.display = display
    self.source = source
    self.verdict = verdict
  }

  var members: JSONObject {
    var members: JSONObject = ["engine": .string(engine), "display": .string(display)]
    members.set("connected", connected)
    members.set("source", source)
    members.set("verdict", verdict)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      engine: try fields.string("engine") ?? "", connected: try fields.bool("connected") ?? false,
      display: try fields.string("display") ?? "", source: try fields.string("source"),
      verdict: try fields.string("verdict"))
  }
}
