package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials

/// The key in the desktop's keyring, through `secret-tool` (P-76). Every member blocks: worker threads only.
///
/// It never makes a keyring ask for its password: a window that opens at a press would take the focus from the text field.
package struct SecretService: APIKeyStorage {
  /// What a keyring says that does not answer within the limit.
  package static let silent = APIKeyReading.unavailable(
    "The keyring (Secret Service) does not answer: log in again, or store the key in a file.")
  /// How long one question may take.
  package static let limit: Duration = .seconds(5)
  /// All that a child gets of the environment.
  private static let passedOn = ["PATH", "HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]

  /// The attribute `service` of the item.
  package let service: String
  private let environment: [String: String]

  package init(service: String, environment: [String: String]) {
    self.service = service
    self.environment = environment.filter { Self.passedOn.contains($0.key) }.merging(["LC_ALL": "C"]) { $1 }
  }

  /// Whether there is anything to ask: its program, and a session bus.
  package var isThere: Bool {
    // "disabled:" is how a session says that it has none.
    guard let bus = environment["DBUS_SESSION_BUS_ADDRESS"], !bus.isEmpty, !bus.hasPrefix("disabled:") else {
      return false
    }
    return program("secret-tool") != nil
  }

  /// Whether a key could be saved now without a question on the screen: there is a default collection, and it is unlocked.
  package var isUnlocked: Bool {
    guard isThere, let busctl = program("busctl") else { return false }
    let answer = run(
      busctl,
      [
        "--user", "get-property", "org.freedesktop.secrets", "/org/freedesktop/secrets/aliases/default",
        "org.freedesktop.Secret.Collection", "Locked",
      ])
    return answer?.status == 0 && Self.text(answer?.output ?? []) == "b false"
  }

  /// `search` and not `lookup`, which would ask the user to unlock.
  package func read() -> APIKeyReading {
    guard isThere, let tool = program("secret-tool") else { return .absent }
    guard let answer = run(tool, ["search", "service", service]), let status = answer.status else {
      return Self.silent
    }
    let lines = Self.text(answer.output).split(separator: "\n")
    if let key = lines.first(where: { $0.hasPrefix("secret = ") }).flatMap({ $0.dropFirst(9).trimmedNonEmpty }) {
      return .found(key)
    }
    if lines.contains(where: { $0.hasPrefix("[/") }) {
      return .unavailable("The key is in a keyring that is locked: unlock it, then try again.")
    }
    let complaint = Self.text(answer.errorTail)
    // Nobody offers the service on this bus: nothing that would answer later.
    if status == 0 || complaint.isEmpty || complaint.contains("not provided by any .service") { return .absent }
    return .unavailable("The keyring (Secret Service) cannot be asked: \(Self.lastLine(complaint))")
  }

  package func write(_ key: String?) throws(APIKeyStoreFault) {
    guard isThere, let tool = program("secret-tool") else {
      if key == nil { return }
      throw APIKeyStoreFault("There is no keyring to store the key in.")
    }
    let answer: HelperProgram.Result?
    if let key {
      do throws(Errno) {
        // On its input: neither an argument nor a variable (T-111).
        let input = try MemoryFile.make(Array(key.utf8))
        answer = run(tool, ["store", "--label=Blurt API key", "service", service], input: input.raw)
      } catch {
        throw APIKeyStoreFault("The key could not be handed to the keyring (\(error.reason)).")
      }
    } else {
      answer = run(tool, ["clear", "service", service])
      // It has no status that tells a removed key from one that was never there: whoever reads back knows.
      if answer?.status != nil { return }
    }
    guard answer?.status == 0 else {
      let complaint = answer.map { Self.lastLine(Self.text($0.errorTail)) } ?? ""
      throw APIKeyStoreFault(
        "The keyring did not take the key: \(complaint.isEmpty ? "secret-tool gave no reason." : complaint)")
    }
  }

  private func program(_ name: String) -> String? {
    environment["PATH"].flatMap { HelperProgram.find(name, path: $0) }
  }

  /// Nil where the program could not even be started.
  private func run(_ program: String, _ arguments: [String], input: Int32? = nil) -> HelperProgram.Result? {
    do throws(Errno) {
      return try HelperProgram.run(
        program, arguments: arguments, environment: environment, limit: Self.limit, input: input)
    } catch {
      return nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).trimmingWhitespace() }

  private static func lastLine(_ text: String) -> String { text.split(separator: "\n").last.map(String.init) ?? "" }
}
