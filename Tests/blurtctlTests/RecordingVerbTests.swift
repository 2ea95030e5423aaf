import BlurtContract
import BlurtTestSupport
import Testing

@testable import blurtctl

/// `recent`, `spool` and `retry`.
@Suite(.timeLimit(.minutes(1))) struct RecordingVerbTests {
  private static let recordings = [
    RecordingEntry(
      id: "20261130-115500-1", state: "failed", startedAt: "2026-11-30T11:55:00Z", durationMilliseconds: 4210,
      byteCount: 134_720, isComplete: true, path: "/run/a.pcm", target: "Mail \u{1B}[2J", engine: "assemblyai",
      errorKind: "sttFailed", message: "The service is not reachable."),
    RecordingEntry(
      id: "20261129-100000-1", state: "interrupted", startedAt: "2026-11-29T10:00:00Z", durationMilliseconds: 187_400,
      byteCount: 1, isComplete: false, path: "/run/b.pcm"),
  ]

  private func with(_ script: FakeDaemon.Script, _ body: (FakeDaemon) async throws -> Void) async throws {
    let daemon = try FakeDaemon(script)
    defer { daemon.stop() }
    try await body(daemon)
  }

  @Test("Y-23 S-95 recent lists the dictations with their age and style, one line each, newest first")
  func recent() async throws {
    let entries = [
      RecentEntry(id: 3, text: "Two\nlines, and \u{1B}]0;x\u{07}", style: "Work", at: "2026-11-30T11:59:30Z"),
      RecentEntry(id: 2, text: "Older.", style: nil, at: "2026-11-30T09:00:00Z"),
    ]
    try await with(FakeDaemon.Script(recent: entries)) { daemon in
      let run = await daemon.run("recent")
      #expect(run.out == "just now     Work  Two lines, and ␛]0;x␇\n3 hours ago        Older.\n")
      #expect(daemon.commands.last?.action == .recent(count: nil))
      #expect(await daemon.run("recent --count 1").out.split(separator: "\n").count == 1)
      #expect(daemon.commands.last?.action == .recent(count: 1))
      let json = await daemon.run("recent", terminal: false).out
      #expect(json.contains(#""text":"Two\nlines, and \u001b]0;x\u0007""#))
    }
    try await with(FakeDaemon.Script()) { daemon in
      let run = await daemon.run("recent")
      #expect(run.status == .done && run.out == "Nothing has been dictated yet.\n")
    }
  }

  @Test("S-151 spool lists what is kept, and discards one, or all once it is confirmed")
  func spool() async throws {
    try await with(FakeDaemon.Script(recordings: Self.recordings)) { daemon in
      let run = await daemon.run("spool")
      #expect(
        run.out == """
          ID                 BEGAN          LENGTH    STATE                    FROM
          20261130-115500-1  5 minutes ago  4.2 s     failed                   Mail ␛[2J,…
            The service is not reachable.
          20261129-100000-1  yesterday      3:07 min  interrupted, incomplete
          Send one again: blurtctl retry ID

          """)
      let unknown = await daemon.run("spool discard nope")
      #expect(unknown.status == .nothingToActOn && unknown.err == "blurtctl: \(FailureReason.unknownRecording.text)\n")
      #expect(await daemon.run("spool list --names", terminal: false).out == "20261130-115500-1\n20261129-100000-1\n")
      #expect(await daemon.run("spool discard a").out == "Removed.\n")
      #expect(daemon.commands.last?.action == .discard(recording: "a"))
      for line in ["spool discard", "spool discard a --all", "spool discard --all"] {
        #expect(await daemon.run(line).status == .usage)
      }
      #expect(daemon.commands.filter { $0.action.name == .discard }.count == 2)
      #expect(await daemon.run("spool discard --all --yes").out == "All are removed.\n")
      #expect(daemon.commands.last?.action == .discard(recording: nil))
    }
    try await with(FakeDaemon.Script()) { daemon in #expect(await daemon.run("spool").out == "No recording is kept.\n")
    }
  }

  @Test("S-151 retry sends a recording again, and with --wait prints its text or why there is none")
  func retry() async throws {
    try await with(FakeDaemon.Script(recordings: Self.recordings)) { daemon in
      let sent = await daemon.run("retry")
      #expect(sent.status == .done && sent.out.contains("blurtctl last"))
      #expect(daemon.commands.map(\.action) == [.retry(recording: nil)])
      let waited = await daemon.run("retry 20261129-100000-1 --wait", terminal: false)
      #expect(waited.status == .done && waited.out == "Again.\n")
      #expect(daemon.commands.last?.action == .wait(.recording("20261129-100000-1")))
      let json = await daemon.run("retry --wait --json").out
      #expect(json == #"{"outcome":{"engine":"offline","text":"Again."}}"# + "\n")
      #expect(await daemon.run("retry nothing --wait").status == .failed)
      #expect(await daemon.run("retry nothing --json").out.contains("unknownRecording"))
    }
    let failed = DictationOutcome(errorKind: "sttFailed", message: "The service is not reachable.")
    try await with(FakeDaemon.Script(recordings: Self.recordings, retried: failed)) { daemon in
      let run = await daemon.run("retry --wait", terminal: false)
      #expect(run.status == .failed && run.out == "" && run.err == "blurtctl: The service is not reachable.\n")
    }
    try await with(FakeDaemon.Script(recordings: Self.recordings, retried: DictationOutcome())) { daemon in
      let run = await daemon.run("retry --wait", terminal: false)
      #expect(run.status == .done && run.out == "" && run.err == "Nothing was said.\n")
    }
    let removed = DictationOutcome(message: "The recording was removed meanwhile.")
    try await with(FakeDaemon.Script(recordings: Self.recordings, retried: removed)) { daemon in
      let run = await daemon.run("retry --wait", terminal: false)
      #expect(run.status == .done && run.out == "" && run.err == "The recording was removed meanwhile.\n")
    }
    try await with(FakeDaemon.Script()) { daemon in
      let run = await daemon.run("retry --wait")
      #expect(run.status == .nothingToActOn && run.err == "blurtctl: No recording is kept.\n")
    }
  }

  @Test("S-151 the state of a kept recording is told in plain words")
  func states() {
    for (state, words) in [
      ("recording", "being recorded"), ("failed", "failed"), ("interrupted", "interrupted"),
      ("blank", "no speech found"), ("recoveryCancelled", "kept by a stop"), ("delivered", "delivered"), ("new", "new"),
    ] {
      #expect(SpoolVerb.words(state) == words)
    }
  }

  @Test("S-151 a length is shown in seconds, from a minute on in minutes")
  func lengths() {
    for (milliseconds, text) in [
      (-5, "0.0 s"), (0, "0.0 s"), (99, "0.0 s"), (4210, "4.2 s"), (59_999, "59.9 s"), (60_000, "1:00 min"),
      (1_195_000, "19:55 min"),
    ] {
      #expect(SpoolVerb.length(milliseconds) == text)
    }
  }
}
