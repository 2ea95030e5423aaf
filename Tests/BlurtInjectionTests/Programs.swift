import BlurtOS
import Foundation
import Glibc
import Synchronization
import Testing

/// A program of the rig, ended when the test is through with it.
final class Program: Sendable {
  private let process: Mutex<Process>
  let folder: URL

  /// `arguments` may name the program's own folder as `{}`.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("blurt-rig-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments.map { [folder] in $0.replacingOccurrences(of: "{}", with: folder.path) }
    // A rig that is preloaded into the tests, as umockdev's, is not for other programs: xterm gets no terminal under it.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
      .merging(environment) { $1 }
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = Mutex(process)
  }

  var processID: Int32 { process.withLock { $0.processIdentifier } }

  /// Waits until the program has ended by itself.
  func waitForEnd() {
    process.withLock { $0.waitUntilExit() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The text of a file in the program's folder, nil where there is none yet.
  func text(of file: String) -> String? {
    try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
  }

  func write(_ text: String, to file: String) throws {
    try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
  }

  /// SIGKILL: a program inherits the signal mask of the thread that started it, and the pool's threads block the others.
  func end() {
    process.withLock { process in
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  static func isInstalled(_ name: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + name) }
  }
}

/// An X server of a test's own, which it may kill. Without a window manager.
final class PrivateServer: Sendable {
  private let program: Program
  let displayName: String

  /// `options` may name the server's own folder as `{}`; a first one such as `:7` names the display.
  init(_ options: [String] = []) async throws {
    let program = try Program(
      ["sh", "-c", "exec Xvfb \"$@\" -displayfd 6 -screen 0 640x480x24 -nolisten tcp -noreset 6>{}/display", "sh"]
        + options)
    self.program = program
    do {
      try await eventually("the X server is up") { program.text(of: "display")?.hasSuffix("\n") == true }
    } catch {
      program.end()
      throw error
    }
    displayName = ":" + (program.text(of: "display") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func end() { program.end() }
}
