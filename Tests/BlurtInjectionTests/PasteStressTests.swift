import BlurtEngine
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtInjection

extension X11Suites {
  /// Many pastes in a row over old clipboards of every kind: never the old one pasted, never the clipboard changed.
  @Suite("pastes in a row", .timeLimit(.minutes(30)))
  struct PasteStressTests {
    /// `BLURT_TEST_PASTES` pastes; 120 without it, which take some seconds, 20 under a sanitizer.
    private static let count =
      ProcessInfo.processInfo.environment["BLURT_TEST_PASTES"].flatMap { Int($0) }
      ?? (Sanitizer.isOn ? 20 : 120)

    /// What a program may have copied: text, a page, a picture, or 5 MB of it, by turns and of random size.
    private func offers(_ turn: Int, _ random: inout SeededGenerator) -> [String: [UInt8]] {
      let size = Int.random(in: 1...60_000, using: &random)
      let seed = UInt64.random(in: 1...UInt64.max, using: &random)
      let text = Noise.bytes(size, seed: seed, asText: true)
      switch turn % 10 {
      case 0, 3, 6: return ["UTF8_STRING": text, "STRING": text, "text/plain;charset=utf-8": text]
      case 1, 4: return ["text/html": Array("<p>".utf8) + text, "UTF8_STRING": text]
      case 2: return ["image/png": Noise.bytes(size * 10, seed: seed)]
      case 5: return ["image/png": Noise.bytes(5 << 20, seed: seed), "text/html": text, "UTF8_STRING": text]
      case 7: return ["text/uri-list": Array("file:///x\r\n".utf8), "x-special/gnome-copied-files": text]
      case 8: return ["UTF8_STRING": Noise.bytes(300_000 + size, seed: seed, asText: true)]
      default: return ["UTF8_STRING": [], "application/x-empty": []]
      }
    }

    @Test(
      "B-54 B-58 C-49 pastes in a row, over text, pages, pictures and 5 MB: never the old text, never a changed clipboard"
    )
    func inARow() async throws {
      let probe = try await ProbeWindow().shown()
      let peeker = try Peeker()
      let old = try ForeignOwner(text: "old")
      defer { quit(probe, peeker, old) }
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SeededGenerator(seed: seed)
      var rig = InjectorRig()
      rig.timing = .quick.with {
        $0.settleFloor = .milliseconds(10)
        $0.quietAfterRead = .milliseconds(10)
        $0.neverRead = .seconds(60)
        $0.takeover = .seconds(60)
        $0.snapshot = .seconds(60)
        $0.transferStall = .seconds(60)
      }
      try await rig.use { injector in
        injector.setTarget(
          CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe"))
        for turn in 0..<Self.count {
          let copied = offers(turn, &random)
          // Key-up comes before the last copy, after it, or, where nobody expects the insert, not at all.
          if turn % 4 == 2 {
            await old.copy(offers(turn + 5, &random))
            injector.expectInsert(true)
          }
          await old.copy(copied)
          if turn % 4 == 0 { injector.expectInsert(true) }
          probe.forget()
          probe.plan.reads = [.milliseconds(Int.random(in: 0...20, using: &random))]
          // Some are long enough to go in pieces.
          let text = "dictated \(turn) " + String(repeating: "é漢", count: turn % 7 == 0 ? 80_000 : turn % 50)
          try await injector.insert(text, after: nil, windowTitle: nil)
          // A clipboard manager looks as well, now and then before the target.
          if turn % 3 == 0 { #expect(await !peeker.targets().isEmpty) }
          try await eventually(within: .seconds(60), "turn \(turn) of seed \(seed): the text arrives") {
            !probe.pasted.isEmpty
          }
          #expect(probe.pasted == [text], "turn \(turn) of seed \(seed)")
          injector.expectInsert(false)
          try await eventually(within: .seconds(60), "turn \(turn) of seed \(seed): it is settled") {
            await injector.connection.settling == nil
          }
          #expect(await peeker.owner() != old.window)
          for (target, bytes) in copied {
            let value = await peeker.read(target)
            #expect(value?.bytes == bytes && value?.type == target, "turn \(turn) of seed \(seed): \(target)")
          }
          let kinds = Set(await peeker.targets()).subtracting(["TARGETS", "TIMESTAMP", "MULTIPLE"])
          #expect(kinds.subtracting(["x-kde-passwordManagerHint"]) == Set(copied.keys), "turn \(turn) of seed \(seed)")
        }
      }
      #expect(rig.notices.all.isEmpty)
    }
  }
}
