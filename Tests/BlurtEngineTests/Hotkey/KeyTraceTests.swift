import BlurtEngine
import FoundationEssentials
import Testing

/// Runs every trace of Fixtures/KeyTraces through the router.
struct KeyTraceTests {
  @Test("the key trace gives the actions written below it", arguments: try load())
  func replay(_ trace: KeyTrace) {
    #expect(trace.run() == trace.expected)
  }

  @Test("a trace with a word that is not known is refused")
  func malformed() {
    #expect(throws: KeyTrace.Malformed.self) { try KeyTrace(parsing: "# H-00 wrong\n0 dwon 97\n--\nstart\n") }
    #expect(throws: KeyTrace.Malformed.self) { try KeyTrace(parsing: "# H-00 no divider\n0 down 97\n") }
  }

  private static func load(file: String = #filePath) throws -> [KeyTrace] {
    let tests = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
    let folder = tests.appending(path: "Fixtures/KeyTraces").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".trace") }
    return try names.sorted().map { name in
      try KeyTrace(parsing: String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
    }
  }
}
