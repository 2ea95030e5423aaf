import BlurtContract
import BlurtTestSupport
import Glibc
import Testing

@testable import blurtctl

@Suite("key", .timeLimit(.minutes(1))) struct KeyVerbTests {
  private func with(_ failure: FailureReason? = nil, _ body: (FakeDaemon) async throws -> Void) async throws {
    let daemon = try FakeDaemon(FakeDaemon.Script(keyFailure: failure))
    defer { daemon.stop() }
    try await body(daemon)
  }

  /// An input that holds this text.
  private func input(_ text: String) -> Int32 {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    var bytes = Array(text.utf8)
    write(ends[1], &bytes, bytes.count)
    close(ends[1])
    return ends[0]
  }

  @Test("P-77 T-111 set reads the key from the input, sends it trimmed, and prints its end alone")
  func set() async throws {
    try await with { daemon in
      let key = input(" secret-key-1234 \n")
      defer { close(key) }
      let run = await daemon.run("key set", input: key)
      #expect(run.status == .done && run.out == "Stored: ••••1234 (a private file).\n")
      #expect(
        daemon.commands.map(\.action) == [.status, .setApiKey(key: WireSecret("secret-key-1234"), engine: nil)])
      #expect(!(run.out + run.err).contains("secret") && !"\(daemon.commands)".contains("secret"))
    }
  }

  @Test("T-111 a key is never an argument")
  func noArgument() async throws {
    try await with { daemon in
      #expect(await daemon.run("key set secret-key-1234").status == .usage)
      #expect(daemon.commands.isEmpty)
    }
  }

  @Test(
    "P-77 the three failures have an exit status each",
    arguments: [
      (FailureReason.keyNotSaved, BlurtContract.ExitStatus.keySaveFailed, 10), (.keyInvalid, .keyInvalid, 11),
      (.keyUnreachable, .keyUnreachable, 12),
    ])
  func failures(reason: FailureReason, status: BlurtContract.ExitStatus, number: Int) async throws {
    #expect(Int(status.rawValue) == number)
    try await with(reason) { daemon in
      let key = input("secret-key-1234")
      defer { close(key) }
      let run = await daemon.run("key set", input: key)
      #expect(run.status == status && run.out == "" && run.err == "blurtctl: \(reason.text)\n")
      if reason != .keyNotSaved { #expect(await daemon.run("key check").status == status) }
    }
  }

  @Test(
    "what is no key is refused before it is sent",
    arguments: ["", " \n \n", "one\ntwo\n", String(repeating: "k", count: 5_000)])
  func noKey(text: String) async throws {
    try await with { daemon in
      let key = input(text)
      defer { close(key) }
      #expect(await daemon.run("key set", input: key).status == .usage)
      #expect(daemon.commands.map(\.action) == [.status])
    }
  }

  @Test("T-107 show, check and clear, for the engine that is named; key alone shows")
  func others() async throws {
    try await with { daemon in
      #expect(await daemon.run("key show").out == "••••1234 (a private file)\n")
      #expect(await daemon.run("key").out == "••••1234 (a private file)\n")
      #expect(
        await daemon.run("key check --engine openai").out == "The service takes the key ••••1234 (a private file).\n")
      #expect(daemon.commands.last?.action == .apiKey(engine: "openai", check: true))
      #expect(await daemon.run("key clear").out == "The key was removed.\n")
      #expect(daemon.commands.last?.action == .clearApiKey(engine: nil))
      #expect(await daemon.run("key show --engine banana").status == .usage)
    }
  }

  @Test("transcribe sends the engine that is named")
  func transcribe() async throws {
    try await with { daemon in
      let run = await daemon.run("transcribe /dev/null --engine command")
      #expect(run.status == .done)
      #expect(daemon.commands.last?.action == .transcribe(path: "/dev/null", engine: "command"))
    }
  }
}
