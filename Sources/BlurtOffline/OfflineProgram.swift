internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// The command line of `blurt-offline`.
package enum OfflineProgram {
  package static let usage = """
    usage: blurt-offline --check            say whether the engine works, and where it is
           blurt-offline [--json] FILE…     transcribe WAV files, or raw 16 kHz mono S16LE
           blurt-offline --serve [PARENT]   answer requests on stdin until it ends (blurtd does this)
           blurt-offline --serve-gate [PARENT]   the same, only saying whether somebody speaks: loads no model
           blurt-offline --decode [PARENT]  a FLAC or Ogg file on stdin as 16 kHz mono S16LE on stdout (blurtd does this)
           blurt-offline --decoders         the version of libsndfile, which does that

    The engine is looked for in $BLURT_OFFLINE_DIR; without it in ~/.local/share/blurt/offline,
    /usr/local/lib/blurt/offline and /usr/lib/blurt/offline.
    """

  /// Runs the program and returns its exit status: 0 done, 1 failed with a sentence on stderr, 2 wrong usage,
  /// those of `SoundFault`.
  package static func run(arguments: [String], environment: [String: String]) -> Int32 {
    let installation = OfflineInstallation.find(environment: environment)
    let missing = OfflineInstallation.missingMessage(environment: environment)
    switch arguments.first {
    case "--help", "-h":
      print(usage)
      return 0
    case "--serve", "--serve-gate":
      let parent = arguments.dropFirst().first
      guard arguments.count <= 2, parent == nil || parent.flatMap(Int32.init) != nil else { return wrongUsage() }
      return OfflineServer.run(
        installation, gateOnly: arguments.first == "--serve-gate", parent: parent.flatMap(Int32.init), missing: missing)
    case "--decode":
      let parent = arguments.dropFirst().first
      guard arguments.count <= 2, parent == nil || parent.flatMap(Int32.init) != nil else { return wrongUsage() }
      return told(SoundDecoding.run(parent: parent.flatMap(Int32.init)))
    case "--decoders":
      guard arguments.count == 1 else { return wrongUsage() }
      return told(SoundDecoding.tellVersion())
    case "--check":
      guard arguments.count == 1 else { return wrongUsage() }
      return check(installation, missing: missing)
    default:
      let asJSON = arguments.first == "--json"
      let paths = arguments.dropFirst(asJSON ? 1 : 0)
      guard let first = paths.first, !first.hasPrefix("-") else { return wrongUsage() }
      return transcribe(Array(paths), asJSON: asJSON, installation, missing: missing)
    }
  }

  /// Says on stderr what a status of `SoundDecoding` means, for people; the daemon goes by the status.
  private static func told(_ status: Int32) -> Int32 {
    if let fault = SoundFault(rawValue: status) { complain("blurt-offline: \(fault.sentence)") }
    return status
  }

  private static func wrongUsage() -> Int32 {
    complain(usage)
    return 2
  }

  private static func check(_ installation: OfflineInstallation?, missing: String) -> Int32 {
    guard let installation else { return failure(missing) }
    let sandbox = OfflineSandbox.enter()
    let start = MonotonicClock.now()
    do throws(UnderlyingError) {
      let engine = try OfflineEngine(installation)
      engine.warmUp()
      let milliseconds = Int((MonotonicClock.now() - start) / .milliseconds(1))
      print("library  \(installation.library) (interface \(engine.libraryVersion))")
      print("model    \(installation.model)")
      print("sandbox  \(sandbox.rawValue), network \(OfflineSandbox.networkIsRefused ? "refused" : "REACHABLE")")
      print("loaded   in \(milliseconds) ms")
      return 0
    } catch {
      return failure(error.message)
    }
  }

  private static func transcribe(
    _ paths: [String], asJSON: Bool, _ installation: OfflineInstallation?, missing: String
  ) -> Int32 {
    guard let installation else { return failure(missing) }
    _ = OfflineSandbox.enter()
    var status: Int32 = 0
    do throws(UnderlyingError) {
      let engine = try OfflineEngine(installation)
      for (index, path) in paths.enumerated() {
        do throws(UnderlyingError) {
          let answer = try engine.transcribe(try OfflineAudio.samples(of: path))
          let line = OfflineLine.encode(OfflineReply.answer(id: UInt64(index), answer))
          print(asJSON ? String(decoding: line.dropLast(), as: UTF8.self) : answer.text)
        } catch {
          status = failure(error.message)
        }
      }
    } catch {
      status = failure(error.message)
    }
    return status
  }

  private static func failure(_ message: String) -> Int32 {
    complain("blurt-offline: \(message)")
    return 1
  }

  private static func complain(_ message: String) {
    let bytes = Array((message + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
