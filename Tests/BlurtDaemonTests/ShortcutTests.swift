import BlurtEngine
import BlurtHotkey
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

/// Shortcuts with the trigger key, from what a keyboard reports to what is left of them (B-18, B-19, H-51).
///
/// Real are the tracker, the bridge, the session and the spool.
@Suite("Shortcuts with the trigger key", .timeLimit(.minutes(1))) struct ShortcutTests {
  /// A keyboard before a daemon.
  private final class Desk: Sendable {
    let scratch: ScratchFolder
    let spool: RecordingSpool
    let rig: SessionRig
    let phases: PhaseRecord
    private let bridge: HotkeyBridge
    private let tracker: Box<DictationKeyTracker>

    init(_ mode: ActivationMode = .tapOrHold) throws {
      let scratch = try ScratchFolder()
      let spool = RecordingSpool(directory: scratch.path + "/spool")
      self.scratch = scratch
      self.spool = spool
      rig = SessionRig { $0.recordings = spool }
      phases = PhaseRecord(rig.session.phaseStream())
      bridge = HotkeyBridge(session: rig.session, onStatus: { _ in })
      tracker = Box(DictationKeyTracker(activations: [TriggerKeyActivation(.rightControl, mode: mode)]))
      tracker.update { $0.add(device: 1, holding: []) }
    }

    func happen(_ input: KeyInput, at milliseconds: Int) {
      if let event = tracker.update({ $0.take(input, device: 1, at: .milliseconds(milliseconds)) }) {
        bridge.handle(event)
      }
    }

    func down(at milliseconds: Int) { happen(.boundKey(code: 97, isDown: true), at: milliseconds) }
    func up(at milliseconds: Int) { happen(.boundKey(code: 97, isDown: false), at: milliseconds) }

    /// The files in the spool's folder.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scratch.path + "/spool")) ?? [] }

    /// Returns once no dictation runs and its recording was dealt with.
    func rest() async -> Bool {
      await eventually { [rig] in rig.session.phaseChange.phase.isTerminal && rig.ends.value.count == 1 }
    }
  }

  /// Every phase that a watcher, and so a cue, has seen.
  private final class PhaseRecord: Sendable {
    let seen = Box<[PipelinePhase]>([])
    private let reader: Task<Void, Never>

    init(_ stream: AsyncStream<PhaseChange>) {
      reader = Task { [seen] in for await change in stream { seen.append(change.phase) } }
    }

    deinit { reader.cancel() }
  }

  @Test(
    "B-19 S-87 right Ctrl and C, or a click, before the microphone is up: no cue, no request, no sound left, no paste",
    arguments: [KeyInput.otherKey, .pointer])
  func beforeTheMicrophone(input: KeyInput) async throws {
    let desk = try Desk()
    let gate = Gate()
    desk.rig.microphone.script { $0.startGate = gate }
    desk.down(at: 0)
    await gate.waitUntilReached()
    desk.happen(input, at: 60)
    desk.up(at: 150)
    #expect(await desk.rest())
    #expect(await eventually { desk.phases.seen.value == [.idle, .connecting, .cancelled] })
    #expect(desk.rig.transcriber.calls.isEmpty)
    #expect(desk.rig.injector.inserts.isEmpty && desk.rig.deliveries.value.isEmpty)
    #expect(desk.files == [] && desk.spool.list().isEmpty)
    #expect(!desk.rig.microphone.isOpen)
    #expect(desk.rig.failures.value.isEmpty)
  }

  @Test(
    "B-19 H-13 right Ctrl and C, or a click, while it records: the request is cancelled, no sound left, no paste",
    arguments: [KeyInput.otherKey, .pointer])
  func whileRecording(input: KeyInput) async throws {
    let desk = try Desk()
    desk.down(at: 0)
    await desk.rig.log.wait(for: "upload.open")
    desk.happen(input, at: 300)
    desk.up(at: 2000)
    #expect(await desk.rest())
    await desk.rig.log.wait(for: "upload.done")
    #expect(desk.rig.log.count(of: "upload.cancelled") == 1)
    #expect(desk.rig.injector.inserts.isEmpty && desk.rig.deliveries.value.isEmpty)
    #expect(desk.files == [] && desk.spool.list().isEmpty)
    #expect(!desk.rig.microphone.isOpen)
    #expect(desk.rig.ends.value.map(\.fate) == [.cancelledByUser])
  }

  @Test("H-16 H-26 over a latched recording shortcuts and clicks are just that; its text is pasted once")
  func overLatched() async throws {
    let desk = try Desk()
    desk.down(at: 0)
    desk.up(at: 200)
    #expect(await eventually { desk.rig.session.phaseChange.phase == .recording })
    desk.happen(.otherKey, at: 1000)
    desk.happen(.pointer, at: 2000)
    desk.down(at: 5000)
    desk.happen(.otherKey, at: 5050)
    desk.up(at: 5100)
    #expect(desk.rig.session.phaseChange.phase == .recording)
    desk.down(at: 10_000)
    desk.up(at: 10_100)
    #expect(await desk.rest())
    #expect(desk.rig.injector.inserts.count == 1)
    #expect(desk.phases.seen.value.count { $0 == .recording } == 1)
  }

  @Test("B-18 a stray tap of a key that is to be held pastes nothing and leaves no sound")
  func strayTap() async throws {
    let desk = try Desk(.hold)
    desk.rig.microphone.script { $0.byteCount = 2_560 }
    desk.down(at: 0)
    desk.up(at: 80)
    #expect(await desk.rest())
    #expect(desk.rig.session.phaseChange.phase == .idle)
    #expect(desk.rig.injector.inserts.isEmpty && desk.rig.deliveries.value.isEmpty)
    #expect(desk.files == [])
    #expect(desk.rig.ends.value.map(\.fate) == [.belowFloor])
  }

  @Test("H-51 a hundred shortcuts in a row leave nothing, and the dictation after them is whole")
  func manyShortcuts() async throws {
    let desk = try Desk()
    for index in 0..<100 {
      desk.down(at: index * 1000)
      desk.happen(.otherKey, at: index * 1000 + 60)
      desk.up(at: index * 1000 + 90)
    }
    #expect(await eventually { desk.rig.ends.value.count == 100 })
    #expect(desk.files == [])
    desk.down(at: 200_000)
    #expect(await eventually { desk.rig.session.phaseChange.phase == .recording })
    desk.up(at: 202_000)
    #expect(await eventually { desk.rig.session.phaseChange.phase == .pasted })
    #expect(desk.rig.injector.inserts.count == 1)
    #expect(!desk.rig.microphone.isOpen)
  }
}
