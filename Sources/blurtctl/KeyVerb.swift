internal import BlurtContract
internal import BlurtIPC

/// `key set`, `show`, `check` and `clear`: the API key, which is never shown and never an argument (P-77, T-111).
struct KeyVerb {
  private let conversation: Conversation
  private let output: Output
  private let engine: String?

  init(_ conversation: Conversation, _ output: Output, engine: String?) {
    self.conversation = conversation
    self.output = output
    self.engine = engine
  }

  func set(_ input: SecretInput) throws(VerbError) -> ExitStatus {
    // The handshake before anybody types: a daemon that hangs must not look like one that checks the key.
    _ = try conversation.ask(.status)
    let key = try input.read(prompt: "API key (not shown): ")
    return try report(.setApiKey(key: WireSecret(key), engine: engine)) { "Stored: \(Self.text($0))." }
  }

  func show() throws(VerbError) -> ExitStatus {
    _ = try conversation.ask(.status)
    return try report(.apiKey(engine: engine, check: false), Self.text)
  }

  /// Exits with 11 and 12 as `set` does.
  func check() throws(VerbError) -> ExitStatus {
    _ = try conversation.ask(.status)
    return try report(.apiKey(engine: engine, check: true)) { status in
      status.connected ? "The service takes the key \(Self.text(status))." : Self.text(status)
    }
  }

  func clear() throws(VerbError) -> ExitStatus {
    _ = try conversation.ask(.status)
    return try report(.clearApiKey(engine: engine)) { _ in "The key was removed." }
  }

  /// The answer may take as long as the keyring and the service: whoever calls has seen that the daemon is there.
  private func report(
    _ action: ClientCommand.Action, _ sentence: (APIKeyStatus) -> String
  ) throws(VerbError) -> ExitStatus {
    let answer = try conversation.answerPatiently(action)
    guard let status = answer.ack.apiKey else {
      throw .found("blurtd did not say what is stored: update it.", .fault, .failed)
    }
    output.answer([sentence(status), answer.ack.message].compactMap { $0 }.joined(separator: "\n"), line: answer.line)
    return .done
  }

  private static func text(_ status: APIKeyStatus) -> String {
    let place =
      switch status.source {
      case "credential": " (a systemd credential)"
      case "environment": " (the environment of blurtd)"
      case "secretService": " (the keyring)"
      case "file": " (a private file)"
      default: ""
      }
    return status.display + place
  }
}
