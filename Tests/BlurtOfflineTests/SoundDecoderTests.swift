import BlurtEngine
import BlurtOS
import BlurtOffline
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

/// FLAC and Ogg files by the built `blurt-offline` and the installed libsndfile. The files are made by sox, and those of
/// Opus by libsndfile itself.
@Suite("SoundDecoder", .timeLimit(.minutes(3)))
struct SoundDecoderTests {
  private static let decoder = RealEngine.program.map { SoundDecoder(program: $0) }
  private static var canDecode: Bool { (try? decoder?.version()) != nil && shell("command -v sox").status == 0 }
  private static let reason: Comment = "needs a built blurt-offline, libsndfile1 and sox"

  private func decode(_ path: String, _ decoder: SoundDecoder? = Self.decoder) async throws -> Result<
    [UInt8], SoundFault
  > {
    let decoder = try #require(decoder)
    return try await Blocking.run(name: "test-decode") { () -> Result<[UInt8], SoundFault> in
      guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return .failure(.unreadable) }
      do throws(SoundFault) {
        return .success(try decoder.decode(file))
      } catch {
        return .failure(error)
      }
    }
  }

  private func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  private func make(_ command: String, in engine: FakeEngine) throws {
    let result = shell("cd '\(engine.folder)' && \(command) 2>&1")
    try #require(result.status == 0, "\(command): \(result.output)")
  }

  private static func samples(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map {
        Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)))
      }
    }
  }

  /// How alike two sounds are, from −1 to 1; a codec may begin a few samples late.
  private static func likeness(_ a: [Float], _ b: [Float]) -> Float {
    (-400...400).map { shift in
      var (sum, powerA, powerB): (Float, Float, Float) = (0, 0, 0)
      for index in 400..<min(a.count, b.count) - 400 {
        let (x, y) = (a[index], b[index + shift])
        sum += x * y
        powerA += x * x
        powerB += y * y
      }
      return sum / max(1, (powerA * powerB).squareRoot())
    }.max() ?? 0
  }

  @Test(
    "a FLAC file gives the very samples that its WAV file gives, whatever its rate and channels",
    .enabled(if: canDecode, reason),
    arguments: [
      "-r 8000 -c 1 -b 16", "-r 16000 -c 1 -b 16", "-r 16000 -c 6 -b 16", "-r 44100 -c 2 -b 16", "-r 48000 -c 2 -b 24",
      "-r 96000 -c 1 -b 24", "-r 4000 -c 1 -b 16",
    ])
  func lossless(format: String) async throws {
    let engine = try FakeEngine()
    try make("sox -R -n \(format) a.wav synth 0.7 sine 300-900 gain -6 && sox -R -D a.wav a.flac", in: engine)
    let expected = try WAVFile(parsing: try read(engine.path("a.wav"))).bytes
    #expect(expected.count > 22_000)
    #expect(try await decode(engine.path("a.flac")) == .success(expected))
  }

  @Test(
    "Vorbis and Opus give the sound that was encoded", .enabled(if: canDecode, reason),
    arguments: ["vorbis 16000 1", "vorbis 48000 2", "vorbis 22050 1", "opus 48000 2", "opus 16000 1", "opus 8000 1"])
  func lossy(format: String) async throws {
    let engine = try FakeEngine()
    let words = format.split(separator: " ").map(String.init)
    try make("sox -R -n -r \(words[1]) -c \(words[2]) -b 16 a.wav synth 0.5 sine 300-900 gain -6", in: engine)
    if words[0] == "vorbis" {
      try make("sox -R a.wav -C 8 a.ogg", in: engine)
    } else {
      try engine.write(Self.opusEncoder, to: "encode.py")
      try make("/usr/bin/python3 encode.py a.wav a.ogg", in: engine)
    }
    let expected = Self.samples(try WAVFile(parsing: try read(engine.path("a.wav"))).bytes)
    let decoded = Self.samples(try (await decode(engine.path("a.ogg"))).get())
    #expect(abs(decoded.count - expected.count) < 400, "\(decoded.count) samples of \(expected.count)")
    #expect(Self.likeness(expected, decoded) > 0.97)
  }

  /// libsndfile by Python's ctypes: SF_FORMAT_OGG | SF_FORMAT_OPUS.
  private static let opusEncoder = """
    import ctypes, sys, wave
    class Info(ctypes.Structure):
        _fields_ = [("frames", ctypes.c_int64)] + [(name, ctypes.c_int) for name in ("rate", "channels", "format", "s", "k")]
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    with wave.open(sys.argv[1]) as sound:
        info = Info(0, sound.getframerate(), sound.getnchannels(), 0x200064, 0, 0)
        count, data = sound.getnframes(), sound.readframes(sound.getnframes())
    file = library.sf_open(sys.argv[2].encode(), 0x20, ctypes.byref(info))
    assert file
    library.sf_writef_short.restype = ctypes.c_int64
    assert library.sf_writef_short(ctypes.c_void_p(file), data, ctypes.c_int64(count)) == count
    library.sf_close(ctypes.c_void_p(file))
    """

  @Test("a file that was cut short gives what it has; one that is no sound is refused", .enabled(if: canDecode, reason))
  func damaged() async throws {
    let engine = try FakeEngine()
    // Long enough for several pages of Ogg: one that is cut is lost whole.
    try make("sox -R -n -r 16000 -c 1 -b 16 a.flac synth 10 pinknoise gain -6 && sox -R a.flac a.ogg", in: engine)
    try make("sox -n -r 16000 -c 1 -b 16 none.flac trim 0 0", in: engine)
    let whole = try (await decode(engine.path("a.flac"))).get()
    #expect(whole.count == 320_000)
    for name in ["a.flac", "a.ogg"] {
      let bytes = try read(engine.path(name))
      try Data(bytes[..<(bytes.count * 2 / 3)]).write(to: URL(filePath: engine.path("cut")))
      let cut = try (await decode(engine.path("cut"))).get()
      #expect((32_000..<320_000).contains(cut.count), "\(name) cut gives \(cut.count) bytes")
      if name == "a.flac" { #expect(whole.starts(with: cut)) }
      for length in [4, 20, 42, 100] {
        try Data(bytes[..<length]).write(to: URL(filePath: engine.path("head")))
        let result = try await decode(engine.path("head"))
        #expect(result == .failure(.unreadable) || result == .failure(.empty), "\(length) bytes of \(name): \(result)")
      }
      try Data(bytes[..<4] + [UInt8](repeating: 0xA5, count: 5_000)).write(to: URL(filePath: engine.path("noise")))
      #expect(try await decode(engine.path("noise")) == .failure(.unreadable))
    }
    let result = try await decode(engine.path("none.flac"))
    #expect(result == .failure(.unreadable) || result == .failure(.empty))
  }

  @Test(
    "what a header says of the length is not believed", .enabled(if: canDecode, reason),
    arguments: [[UInt8](repeating: 0, count: 5), [0x0F, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 1]])
  func lyingHeader(total: [UInt8]) async throws {
    let engine = try FakeEngine()
    try make("sox -R -n -r 16000 -c 1 -b 16 a.flac synth 1 sine 300-900 gain -6", in: engine)
    var bytes = try read(engine.path("a.flac"))
    // STREAMINFO begins at byte 8; the sample count is its lower 36 bits of bytes 13 to 17.
    bytes[21] = bytes[21] & 0xF0 | total[0]
    bytes.replaceSubrange(22..<26, with: total[1...])
    try Data(bytes).write(to: URL(filePath: engine.path("lie.flac")))
    let decoded = try (await decode(engine.path("lie.flac"))).get()
    // A header that says less than there is may be believed by the library, never one that says more.
    #expect(total == [0, 0, 0, 0, 1] ? (1...32_000).contains(decoded.count) : decoded.count == 32_000)
  }

  @Test(
    "a small file of many hours ends where a recording must end", .enabled(if: canDecode && !Sanitizer.isOn, reason))
  func bomb() async throws {
    let engine = try FakeEngine()
    try make("sox -D -n -r 16000 -c 1 -b 16 long.flac trim 0 7200", in: engine)
    #expect(try read(engine.path("long.flac")).count < 1 << 20)
    #expect(try await decode(engine.path("long.flac")) == .failure(.tooLong))
  }

  @Test("whatever bytes are changed, the answer is a sound or a fault", .enabled(if: canDecode, reason))
  func changedBytes() async throws {
    let engine = try FakeEngine()
    try make("sox -R -n -r 16000 -c 1 -b 16 a.flac synth 0.3 pinknoise gain -6 && sox -R a.flac a.ogg", in: engine)
    var random = SeededGenerator(seed: 7)
    for name in ["a.flac", "a.ogg"] {
      let original = try read(engine.path(name))
      for _ in 0..<20 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          bytes[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: URL(filePath: engine.path("changed")))
        switch try await decode(engine.path("changed")) {
        case .success(let sound): #expect(sound.count <= 38_400_000 && sound.count.isMultiple(of: 2))
        case .failure(let fault):
          #expect([SoundFault.unreadable, .empty, .unsupportedLayout, .tooLong, .crashed].contains(fault), "\(fault)")
        }
      }
    }
  }

  @Test("the decoder can open no file and reach no network", .enabled(if: canDecode, reason))
  func lockedIn() throws {
    let program = try #require(RealEngine.program)
    let lines = shell("'\(program)' --decoders").output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("libsndfile"))
    #expect(lines.dropFirst() == ["files    refused", "network  refused"])
    #expect(!(try #require(Self.decoder).version()).contains("files"))
  }

  @Test("a decoder that is missing, crashes, hangs or says too much is a fault of its own")
  func brokenDecoder() async throws {
    let engine = try FakeEngine()
    try engine.write("fLaC", to: "a.flac")
    func fault(_ script: String, limit: Duration = .seconds(60)) async throws -> SoundFault? {
      // By another process: the kernel runs no program that some process still has open for writing.
      try engine.write("#!/bin/sh\n\(script)\n", to: "script")
      try make("cp script decoder && chmod 700 decoder", in: engine)
      switch try await decode(engine.path("a.flac"), SoundDecoder(program: engine.path("decoder"), limit: limit)) {
      case .success: return nil
      case .failure(let fault): return fault
      }
    }
    #expect(try await fault("[ \"$1\" = --decode ] && [ \"$2\" = $PPID ] && cat") == nil)
    for expected in SoundFault.allCases where expected.rawValue < 100 {
      #expect(try await fault("exit \(expected.rawValue)") == expected)
    }
    #expect(try await fault("kill -SEGV $$") == .crashed)
    #expect(try await fault("exit 1") == .crashed)
    #expect(try await fault("exec sleep 600", limit: .milliseconds(50)) == .timedOut)
    #expect(try await fault("head -c 38400002 /dev/zero") == .tooLong)
    let missing = SoundDecoder(program: engine.path("nowhere"))
    #expect(try await decode(engine.path("a.flac"), missing) == .failure(.notStarted))
  }

  @Test("every fault is one sentence that says what to do", arguments: SoundFault.allCases)
  func sentences(fault: SoundFault) {
    #expect(fault.sentence.count > 15 && !fault.sentence.contains("\n"))
    #expect(fault == .empty || ["sox", "install"].contains { fault.sentence.contains($0) })
  }
}
