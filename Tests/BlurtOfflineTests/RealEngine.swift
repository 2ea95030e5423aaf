import BlurtOffline
import FoundationEssentials
import Glibc

/// The real engine's program and files on this machine, for the rig suites.
enum RealEngine {
  static let installation = OfflineInstallation.find(environment: ProcessInfo.processInfo.environment)

  /// `BLURT_OFFLINE_PROGRAM`, or the program beside this test bundle.
  static let program: String? = {
    if let named = ProcessInfo.processInfo.environment["BLURT_OFFLINE_PROGRAM"] { return named }
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let folders = [
      String(decoding: bytes, as: UTF8.self), CommandLine.arguments.first ?? "",
    ].map { URL(filePath: $0).deletingLastPathComponent().path }
    return folders.map { $0 + "/blurt-offline" }.first { access($0, X_OK) == 0 }
  }()

  static var isThere: Bool { installation != nil && program != nil }
  static let reason = "needs the offline engine (scripts/fetch-offline-engine.sh) and a built blurt-offline"

  /// Debian's pocketsphinx-testdata: real speech with its transcripts.
  static let speechFolder = "/usr/share/pocketsphinx/test/data/"
  static var hasSpeech: Bool { access(speechFolder + "librivox", R_OK) == 0 }
  static let speechReason = "needs real speech (apt-get install pocketsphinx-testdata)"
}

/// Runs a command line in a shell; its standard output and exit status.
func shell(_ command: String) -> (output: String, status: Int32) {
  guard let pipe = popen(command, "re") else { return ("", -1) }
  var output: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = fread(&buffer, 1, buffer.count, pipe)
    if count == 0 { break }
    output += buffer[..<count]
  }
  let status = pclose(pipe)
  return (String(decoding: output, as: UTF8.self), status & 0x7F == 0 ? (status >> 8) & 0xFF : -1)
}

/// Words in small letters, without punctuation.
func words(_ text: String) -> [String] {
  text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" }.map { $0 == "mr" ? "mister" : String($0) }
}

/// How many words must change to turn one text into the other.
func wordDistance(_ a: [String], _ b: [String]) -> Int {
  var row = Array(0...b.count)
  for (i, word) in a.enumerated() {
    var next = [i + 1]
    for (j, other) in b.enumerated() {
      next.append(min(row[j] + (word == other ? 0 : 1), row[j + 1] + 1, next[j] + 1))
    }
    row = next
  }
  return row[b.count]
}
