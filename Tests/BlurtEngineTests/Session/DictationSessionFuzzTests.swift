import BlurtEngine
import BlurtTestSupport
import Synchronization
import Testing

/// Commands in random order against seams that answer at random moments, seed by seed.
@Suite(.timeLimit(.minutes(5))) struct DictationSessionFuzzTests {
  @Test("S-29 S-32 S-36 S-41 S-46 S-66 random interleavings keep every promise", arguments: 1...150)
  func interleavings(seed: Int) async {
    let host = JitteryHost(seed: UInt64(seed))
    let decisions = Box<[UInt64: [CommandDecision]]>([:])
    let presses = Box<[UInt64]>([])
    /// By the number of a cancel: the moment at which its `submit` had returned.
    let cancels = Box<[UInt64: UInt64]>([:])
    let ends = Box<[UInt64]>([])
    let clock = TestClock()
    let session = DictationSession(
      .init(
        microphone: host, transcriber: host, injector: host, focus: host.focus, recordings: host.store,
        readinessCheck: { host.roll(20) == 0 ? .apiKeyMissing : nil }, clock: clock,
        onEnd: { dictation, _ in ends.append(dictation) }))
    let probe = PhaseProbe(session.phaseStream())

    await withTaskGroup { group in
      for lane in 0..<2 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(seed * 1_000 + lane))
          for _ in 0..<15 {
            let command: SessionCommand =
              switch Int.random(in: 0..<10, using: &random) {
              case 0..<4: .press(key: nil)
              case 4..<7: .release
              case 7..<9: .cancel
              default: .cancelRecording
              }
            // The number is known only after the decision may have come.
            let mine = Box<[CommandDecision]>([])
            let number = session.submit(command) { mine.append($0) }
            if command == .cancel { cancels.update { $0[number] = host.tick() } }
            if case .press = command { presses.append(number) }
            host.track(number, mine)
            if Int.random(in: 0..<12, using: &random) == 0 { clock.advance(by: .milliseconds(500)) }
            if Int.random(in: 0..<25, using: &random) == 0 { clock.advance(by: SyncSTTLimits.autoReleaseAfter) }
            for _ in 0..<Int.random(in: 0..<40, using: &random) { await Task.yield() }
          }
        }
      }
    }
    // The last cancel is not in the lists: whatever it ends may have been pasted before it.
    await session.cancel()
    host.letGo()
    #expect(await eventually { host.callsInFlight == 0 })
    await session.cancel()

    #expect(!host.isOpen, "the microphone is closed")
    #expect(!host.wasOpenedTwice, "two captures never overlap")
    #expect(session.phaseChange.phase.isTerminal)
    for (number, mine) in host.tracked { decisions.update { $0[number] = mine.value } }
    #expect(decisions.value.count == 30)
    for (number, mine) in decisions.value { #expect(mine.count == 1, "command \(number) was decided \(mine)") }

    let accepted = presses.value.filter { decisions.value[$0] == [.started] }
    #expect(host.starts.count <= accepted.count)
    #expect(Set(host.starts).isSubset(of: accepted))
    #expect(Set(host.starts).count == host.starts.count, "one start for each press")
    #expect(ends.value.sorted() == accepted.sorted(), "each accepted press is told to have ended, once")
    for recording in host.store.recordings {
      #expect(recording.fates.count == 1, "dictation \(recording.dictation): \(recording.fates)")
    }

    if let last = session.phaseChange.dictation { await probe.waitForEnd(of: last) }
    for number in presses.value {
      let phases = probe.phases(of: number)
      switch decisions.value[number]?.first {
      case .started: #expect(Self.isLegal(phases), "dictation \(number): \(phases)")
      case .refused(let error): #expect(phases == [.failed(error)])
      default: #expect(phases.isEmpty, "a dropped press has no phase: \(phases)")
      }
      if phases.last == .pasted { #expect(host.pastes[number] != nil) }
      // Whoever pasted and was cancelled had passed its last gate before the cancel returned.
      if phases.last == .cancelled, let paste = host.pastes[number] {
        let cancel = cancels.value.filter { $0.key > number }.min { $0.key < $1.key }
        #expect(paste < cancel?.value ?? .max, "dictation \(number) was pasted after its cancel")
      }
    }
  }

  /// `connecting`, then onwards without a gap to one terminal phase.
  private static func isLegal(_ phases: [PipelinePhase]) -> Bool {
    let way: [PipelinePhase] = [.connecting, .recording, .transcribing, .injecting]
    guard let end = phases.last, end.isTerminal, phases.count >= 2 else { return false }
    return Array(phases.dropLast()) == Array(way.prefix(phases.count - 1))
  }
}

/// All seams in one, each of which answers after a random number of turns, fails now and then, or hangs until `letGo`.
private final class JitteryHost: MicCaptureProtocol, TranscriberProtocol, InjectorProtocol {
  private struct State {
    var random: SeededGenerator
    var feed: AsyncStream<[UInt8]>.Continuation?
    var byteCount = 0
    var wasOpenedTwice = false
    var starts: [UInt64] = []
    var pastes: [UInt64: UInt64] = [:]
    var ticks: UInt64 = 0
    var callsInFlight = 0
    var tracked: [(UInt64, Box<[CommandDecision]>)] = []
  }

  struct Fault: Error {}

  let store = FakeRecordingStore()
  private let hang = Gate()
  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

  var isOpen: Bool { state.withLock { $0.feed != nil } }
  var wasOpenedTwice: Bool { state.withLock { $0.wasOpenedTwice } }
  var starts: [UInt64] { state.withLock { $0.starts } }
  /// By dictation: the moment of its last gate.
  var pastes: [UInt64: UInt64] { state.withLock { $0.pastes } }
  var callsInFlight: Int { state.withLock { $0.callsInFlight } }
  var tracked: [(UInt64, Box<[CommandDecision]>)] { state.withLock { $0.tracked } }

  func track(_ number: UInt64, _ decisions: Box<[CommandDecision]>) {
    state.withLock { $0.tracked.append((number, decisions)) }
  }

  func letGo() { hang.open() }

  func roll(_ sides: Int) -> Int { state.withLock { Int.random(in: 0..<sides, using: &$0.random) } }

  func tick() -> UInt64 {
    state.withLock { state in
      state.ticks += 1
      return state.ticks
    }
  }

  private func jitter() async { for _ in 0..<roll(12) { await Task.yield() } }

  private func call<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    state.withLock { $0.callsInFlight += 1 }
    defer { state.withLock { $0.callsInFlight -= 1 } }
    return try await body()
  }

  var focus: HostFocusCapture {
    HostFocusCapture(
      frontmost: {
        await self.call {
          await self.jitter()
          if self.roll(10) == 0 { await self.hang.pass() }
          return CapturedFocus(processID: 1, name: "Editor")
        }
      },
      fieldContext: { _ in
        await self.call {
          await self.jitter()
          if self.roll(5) == 0 { await self.hang.pass() }
          return FocusedFieldContext(isSecure: self.roll(3) == 0)
        }
      })
  }

  func start(keepingIn recording: (any KeptRecording)?) async throws -> AudioFeed {
    try await call {
      let dictation = (recording as? FakeKeptRecording)?.dictation ?? 0
      state.withLock { $0.starts.append(dictation) }
      let isStubborn = roll(4) == 0
      await jitter()
      if !isStubborn { try Task.checkCancellation() }
      if roll(8) == 0 { throw Fault() }
      let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
      let byteCount = roll(4) == 0 ? 100 : 6_400
      state.withLock { state in
        if state.feed != nil { state.wasOpenedTwice = true }
        state.feed = feed
        state.byteCount = byteCount
      }
      feed.yield([UInt8](repeating: 1, count: byteCount))
      return AudioFeed(frames: frames, recording: recording)
    }
  }

  func stop() async throws -> Int {
    try await call {
      await jitter()
      let (feed, byteCount) = state.withLock { ($0.feed.take(), $0.byteCount) }
      feed?.finish()
      if roll(8) == 0 { throw Fault() }
      return byteCount
    }
  }

  func cancelCapture() async throws {
    try await call {
      await jitter()
      state.withLock { $0.feed.take() }?.finish()
      if roll(8) == 0 { throw Fault() }
    }
  }

  func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript {
    try await call {
      var byteCount = 0
      for await bytes in feed.frames { byteCount += bytes.count }
      let isStubborn = roll(4) == 0
      await jitter()
      if !isStubborn { try Task.checkCancellation() }
      switch roll(8) {
      case 0: throw Fault()
      case 1: throw ClipBelowFloor()
      case 2: return Transcript(text: " ", engine: .offline)
      default:
        let dictation = (feed.recording as? FakeKeptRecording)?.dictation
        return Transcript(text: dictation?.description ?? "", engine: .offline)
      }
    }
  }

  func warmUp() async { await call { await jitter() } }

  func setTarget(_ focus: CapturedFocus?) {}

  func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws {
    try await call {
      await jitter()
      // The moment is taken before the look: what was cancelled before it must be seen as cancelled.
      let moment = tick()
      try Task.checkCancellation()
      if roll(8) == 0 { throw roll(2) == 0 ? BlurtError.noEditableTarget : Fault() as any Error }
      if let dictation = UInt64(text) { state.withLock { $0.pastes[dictation] = moment } }
      await jitter()
    }
  }
}
