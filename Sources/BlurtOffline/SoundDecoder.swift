internal import BlurtEngine
package import BlurtOS
internal import Glibc

/// Has FLAC and Ogg files decoded by `blurt-offline`, one process for each file: such files come from anywhere, and a
/// decoder that crashes must cost nothing but its answer.
///
/// All calls block for as long as the process runs: on a `WorkerThread` only.
package struct SoundDecoder: Sendable {
  /// How long a file may take. Twenty minutes of the highest rate take a few seconds.
  package static let limit: Duration = .seconds(120)
  /// Bytes of address space that the process may take on top of what it has when it begins.
  package static let memoryLimit = 512 << 20

  private let program: String
  private let limit: Duration

  /// `program` is the path of `blurt-offline`.
  package init(program: String, limit: Duration = Self.limit) {
    self.program = program
    self.limit = limit
  }

  /// Whether the bytes begin like a file that is decoded here.
  package static func takes(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: "fLaC".utf8) || bytes.starts(with: "OggS".utf8)
  }

  /// The sound as 16 kHz mono S16LE, at most 20 minutes of it. `file` must be at its beginning, and is moved.
  ///
  /// A file that was cut short gives all that can be decoded.
  package func decode(_ file: borrowing FileDescriptor) throws(SoundFault) -> [UInt8] {
    let most = Int(SyncSTTLimits.maximumRecording / .milliseconds(1)) * SyncSTTLimits.sampleRate / 1_000 * 2
    let result = try run(["--decode", "\(getpid())"], outputLimit: most, input: file.raw)
    guard !result.isCutShort else { throw .tooLong }
    return result.output
  }

  /// The version of the library that would read them.
  package func version() throws(SoundFault) -> String {
    let result = try run(["--decoders"], outputLimit: 256, input: nil)
    // One line of a program of ours; nothing else belongs into an answer.
    let line = String(decoding: result.output, as: UTF8.self).split(separator: "\n").first ?? ""
    return String(line.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+".contains($0)) })
  }

  private func run(
    _ arguments: [String], outputLimit: Int, input: Int32?
  ) throws(SoundFault) -> HelperProgram.Result {
    let result: HelperProgram.Result
    do throws(Errno) {
      result = try HelperProgram.run(
        program, arguments: arguments, environment: ["LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"], limit: limit,
        outputLimit: outputLimit, input: input)
    } catch {
      throw .notStarted
    }
    switch (result.status, result.signal) {
    case (0?, _): return result
    case (.some(let status), _): throw SoundFault(rawValue: status) ?? .crashed
    case (nil, .some): throw .crashed
    case (nil, nil): throw .timedOut
    }
  }
}
