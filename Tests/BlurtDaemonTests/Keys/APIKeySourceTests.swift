import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("Where the API key comes from and goes to", .timeLimit(.minutes(1))) struct APIKeySourceTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A keyring played by two scripts: `secret` holds the key, `locked`, `silent`, `broken` and `refuses` are its faults.
  private func keyring() throws -> [String: String] {
    try FileManager.default.createDirectory(atPath: scratch.path + "/bin", withIntermediateDirectories: true)
    try scratch.write(
      """
      #!/bin/sh
      echo "$*" >> "$HOME/asked"
      /usr/bin/tr '\\0' '\\n' < /proc/$$/environ >> "$HOME/environ"
      case $1 in
      search)
        [ -f "$HOME/silent" ] && exec /bin/sleep 600
        [ -f "$HOME/broken" ] && { echo 'secret-tool: out of order' >&2; exit 1; }
        [ -f "$HOME/secret" ] || exit 0
        printf '[/1]\\nlabel = x\\n'
        [ -f "$HOME/locked" ] || { printf 'secret = '; /bin/cat "$HOME/secret"; printf '\\n'; } ;;
      store)
        [ -f "$HOME/refuses" ] && { echo 'secret-tool: no space' >&2; exit 1; }
        /bin/cat > "$HOME/secret" ;;
      clear) /bin/rm -f "$HOME/secret" ;;
      esac
      """, to: "bin/secret-tool", mode: 0o755)
    try scratch.write(
      """
      #!/bin/sh
      if [ -f "$HOME/locked" ]; then echo 'b true'; else echo 'b false'; fi
      """, to: "bin/busctl", mode: 0o755)
    return [
      "PATH": scratch.path + "/bin", "HOME": scratch.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "SECRET_OF_OTHERS": "x",
    ]
  }

  private func source(_ environment: [String: String] = [:], names: APIKeyNames = .assemblyai()) -> APIKeySource {
    APIKeySource(environment: environment, folder: scratch.path + "/config", names: names)
  }

  private func text(_ name: String) -> String? {
    TestFile.bytes(scratch.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func touch(_ name: String) throws { try scratch.write("", to: name) }
  private func remove(_ name: String) { unlink(scratch.path + "/" + name) }

  private func fault(_ source: APIKeySource, _ key: String?) -> String? {
    do throws(APIKeyStoreFault) {
      try source.save(key)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("P-76 without a keyring the key goes into a file of mode 0600 in a folder of mode 0700, whole or not at all")
  func file() throws {
    let source = source()
    #expect(source.known == .absent && !source.isOpen)
    #expect(fault(source, " key-1234 ") == nil)
    #expect(source.current == "key-1234" && source.origin == .file)
    #expect(text("config/api-key") == "key-1234\n")
    var status = stat()
    #expect(stat(scratch.path + "/config/api-key", &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat(scratch.path + "/config", &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(fault(source, nil) == nil)
    #expect(source.known == .absent && text("config/api-key") == nil)
    #expect(fault(source, nil) == nil)
  }

  @Test("T-110 a file that cannot be written is told, and the old key stays")
  func unwritable() throws {
    let source = source()
    try scratch.write("", to: "config")
    let message = try #require(fault(source, "key-1234"))
    #expect(message.contains("api-key") && !message.contains("key-1234"))
  }

  @Test("P-76 with an unlocked keyring the key goes there, and the older one in the file goes")
  func keyringUnlocked() throws {
    let source = source(try keyring())
    #expect(source.isOpen)
    try FileManager.default.createDirectory(atPath: scratch.path + "/config", withIntermediateDirectories: true)
    try scratch.write("old-key", to: "config/api-key", mode: 0o600)
    #expect(fault(source, "key-1234") == nil)
    #expect(text("secret") == "key-1234" && text("config/api-key") == nil)
    #expect(source.current == "key-1234" && source.origin == .secretService && !source.isOpen)
    #expect(fault(source, nil) == nil)
    #expect(source.known == .absent && text("secret") == nil)
  }

  @Test("T-111 the keyring's program gets the key on its input: no argument, no variable, and no other environment")
  func silent() throws {
    let source = source(try keyring())
    #expect(fault(source, "key-1234") == nil)
    _ = source.read()
    #expect(text("asked")?.contains("key-1234") == false)
    let environ = try #require(text("environ"))
    #expect(!environ.contains("key-1234") && !environ.contains("SECRET_OF_OTHERS"))
    #expect(text("asked")?.contains("store --label=Blurt API key service blurt\n") == true)
  }

  @Test("T-110 a keyring that refuses is told with its reason, and the old key stays in use")
  func keyringRefuses() throws {
    let source = source(try keyring())
    #expect(fault(source, "old-key-1") == nil)
    try touch("refuses")
    #expect(fault(source, "new-key-2")?.contains("no space") == true)
    #expect(source.read() == .found("old-key-1"))
    #expect(text("config/api-key") == nil)
  }

  @Test("P-76 with a locked keyring that has no key the file is used; with one that has a key nothing is stored")
  func keyringLocked() throws {
    let source = source(try keyring())
    try touch("locked")
    #expect(fault(source, "key-1234") == nil)
    #expect(source.current == "key-1234" && source.origin == .file && text("secret") == nil)
    try scratch.write("older-key", to: "secret")
    #expect(fault(source, "key-5678")?.contains("locked") == true)
    #expect(text("secret") == "older-key" && text("config/api-key") == "key-1234\n")
    // What works meanwhile is the file; once the keyring is open, its key wins.
    #expect(source.current == "key-1234" && source.isOpen)
    remove("locked")
    #expect(source.read() == .found("older-key"))
  }

  @Test("T-109 P-75 a keyring that is locked is unknown, and asked again beside the next press, which never waits")
  func askedAgain() async throws {
    let source = source(try keyring())
    try scratch.write("key-1234", to: "secret")
    try touch("locked")
    guard case .unavailable = await source.asking() else {
      Issue.record("not unavailable")
      return
    }
    #expect(source.current == nil && source.isOpen && source.decidingFile == nil)
    remove("locked")
    source.askIfOpen()
    #expect(await eventually { source.current == "key-1234" })
    let count = text("asked")?.split(separator: "\n").count
    source.askIfOpen()
    #expect(await source.asking() == .found("key-1234"))
    #expect(text("asked")?.split(separator: "\n").count == count)
  }

  @Test("T-109 a keyring that was silent is not waited for when a recording is ready, and is asked again by the press")
  func silentKeyring() async throws {
    let environment = try keyring()
    try scratch.write("key-1234", to: "secret")
    try touch("silent")
    let source = source(environment)
    // The one wait: nobody has asked before.
    #expect(await source.answered() == SecretService.silent)
    let asked = text("asked")
    #expect(await source.answered() == SecretService.silent)
    #expect(text("asked") == asked)
    remove("silent")
    source.askIfOpen()
    #expect(await eventually { source.current == "key-1234" })
    #expect(await source.answered() == .found("key-1234"))
  }

  @Test("T-109 what the press asked a locked keyring is the answer when the recording is ready: nobody asks twice")
  func lockedKeyring() async throws {
    let environment = try keyring()
    try scratch.write("key-1234", to: "secret")
    try touch("locked")
    let source = source(environment)
    source.askIfOpen()
    #expect(await source.answered().key == nil)
    #expect(await source.answered().key == nil)
    #expect(text("asked")?.split(separator: "\n").count == 1)
    remove("locked")
    source.askIfOpen()
    #expect(await source.answered() == .found("key-1234"))
  }

  @Test("T-109 a keyring out of order is unknown; one that nobody offers has no key")
  func outOfOrder() throws {
    let environment = try keyring()
    try touch("broken")
    let source = source(environment)
    #expect(source.read() == .unavailable("The keyring (Secret Service) cannot be asked: secret-tool: out of order"))
    try scratch.write(
      "#!/bin/sh\necho 'The name org.freedesktop.secrets was not provided by any .service files' >&2; exit 1\n",
      to: "bin/secret-tool", mode: 0o755)
    #expect(self.source(environment).read() == .absent)
  }

  @Test("T-102 a key that the daemon was started with cannot be replaced, and what to do is said")
  func given() throws {
    let source = source(["ASSEMBLYAI_API_KEY": "given-key-1"])
    let message = try #require(fault(source, "new-key-2"))
    #expect(message.contains("ASSEMBLYAI_API_KEY") && !message.contains("key-1") && !message.contains("key-2"))
    #expect(source.current == "given-key-1" && source.origin == .environment && text("config/api-key") == nil)
  }

  @Test("the keys of two engines are apart in every place")
  func apart() throws {
    let environment = try keyring().merging(["BLURT_OPENAI_API_KEY": "o", "ASSEMBLYAI_API_KEY": "a"]) { $1 }
    #expect(source(environment).current == "a" && source(environment, names: .openai()).current == "o")
    let (service, openai) = (source(), source(names: .openai()))
    #expect(fault(service, "service-key") == nil && fault(openai, "openai-key") == nil)
    #expect(service.current == "service-key" && openai.current == "openai-key")
    #expect(text("config/openai-api-key") == "openai-key\n")
    #expect(APIKeyNames.openai(service: "blurt-dev").service == "blurt-dev-openai")
  }
}
