import BlurtContract
import BlurtEngine
import BlurtOffline
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("SoundFile", .timeLimit(.minutes(1))) struct SoundFileTests {
  /// `blurt-offline` as a script that says what it was given.
  private func decoder(_ scratch: ScratchFolder, _ script: String) throws -> SoundDecoder {
    // By another process: the kernel runs no program that some process still has open for writing.
    try scratch.write("#!/bin/sh\n\(script)\n", to: "script")
    #expect(system("cp '\(scratch.path)/script' '\(scratch.path)/decoder' && chmod 700 '\(scratch.path)/decoder'") == 0)
    return SoundDecoder(program: scratch.path + "/decoder")
  }

  private func read(_ path: String, _ decoder: SoundDecoder) -> Result<[UInt8], FileTranscription.Failure> {
    do throws(FileTranscription.Failure) {
      return .success(try SoundFile(path).samples(decoder))
    } catch {
      return .failure(error)
    }
  }

  private func sentence(_ path: String, _ decoder: SoundDecoder) throws -> String {
    switch read(path, decoder) {
    case .success(let bytes): throw Unexpected(description: "\(path) gives \(bytes.count) bytes")
    case .failure(.engine(let error)): throw Unexpected(description: "\(error)")
    case .failure(.file(let message)):
      #expect(message.contains(path), "\(message)")
      #expect(!message.contains("\n"))
      return message
    }
  }

  private struct Unexpected: Error, CustomStringConvertible { let description: String }

  @Test("what is no regular file is refused by a sentence, without being opened: a pipe's writer goes on waiting")
  func noFile() throws {
    let scratch = try ScratchFolder()
    let decoder = try decoder(scratch, "exit 1")
    let pipe = scratch.path + "/pipe.flac"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try sentence(pipe, decoder).contains("not a regular file"))
    // ENXIO: nobody has it open for reading.
    #expect(open(pipe, O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO)
    #expect(try sentence("/dev/zero", decoder).contains("not a regular file"))
    #expect(try sentence(scratch.path, decoder).contains("not a regular file"))
    #expect(try sentence(scratch.path + "/absent.ogg", decoder).contains("No such file"))
    #expect(symlink("loop.flac", scratch.path + "/loop.flac") == 0)
    #expect(try sentence(scratch.path + "/loop.flac", decoder).contains("loop.flac"))
  }

  @Test("what a file is, its first bytes say and not its name")
  func content() throws {
    let scratch = try ScratchFolder()
    let decoder = try decoder(scratch, "head -c 4; [ $1 = --decode ]")
    for (magic, name) in [("fLaC", "a.wav"), ("OggS", "a.flac"), ("OggS", "a.pcm"), ("fLaC", "a"), ("fLaC", "a.txt")] {
      try scratch.write(magic + " and more", to: name)
      // From the beginning of the file on, though its first bytes have been looked at.
      #expect(read(scratch.path + "/" + name, decoder) == .success(Array(magic.utf8)))
    }
    try scratch.write("abcd", to: "raw.pcm")
    #expect(read(scratch.path + "/raw.pcm", decoder) == .success(Array("abcd".utf8)))
    for (text, name) in [("ID3 song", "song.ogg"), ("a letter", "letter.flac"), ("RIFF", "short.wav")] {
      try scratch.write(text, to: name)
      #expect(try sentence(scratch.path + "/" + name, decoder).contains("no WAV, FLAC or Ogg file"))
    }
    try scratch.write("", to: "empty.flac")
    #expect(try sentence(scratch.path + "/empty.flac", decoder).contains("is empty"))
    try scratch.write("RIFFxxxxWAVE", to: "cut.wav")
    #expect(try sentence(scratch.path + "/cut.wav", decoder).contains("ends before its samples"))
  }

  @Test("a kept recording is raw samples whatever it begins with")
  func raw() throws {
    let scratch = try ScratchFolder()
    try scratch.write("fLaC", to: "a.pcm")
    #expect(FileTranscription.rawSamples(of: scratch.path + "/a.pcm") == .success(Array("fLaC".utf8)))
  }

  @Test(
    "a decoder that fails, or is not there, gives a sentence that names the file and the remedy",
    arguments: SoundFault.allCases.filter { $0.rawValue < 100 && $0 != .tooLong && $0 != .empty })
  func faults(fault: SoundFault) throws {
    let scratch = try ScratchFolder()
    try scratch.write("fLaC", to: "a.flac")
    let message = try sentence(scratch.path + "/a.flac", decoder(scratch, "exit \(fault.rawValue)"))
    #expect(message == "\(scratch.path)/a.flac: \(fault.sentence)")
    let missing = read(scratch.path + "/a.flac", SoundDecoder(program: scratch.path + "/nowhere"))
    #expect(missing == .failure(.file("\(scratch.path)/a.flac: \(SoundFault.notStarted.sentence)")))
  }

  @Test("doctor says which files can be transcribed, and what the others need")
  func probe() async throws {
    func look(_ answer: Result<String, SoundFault>) async -> (line: String, remedy: String?) {
      let check = await DoctorProbe.soundFiles { answer }.look(false)
      return ("\(check.state): \(check.message)", check.remedy)
    }
    let works = await look(.success("libsndfile-1.2.0"))
    #expect(works.line == "ok: WAV, FLAC and Ogg files can be transcribed (libsndfile-1.2.0).")
    #expect(works.remedy == nil)
    #expect(await look(.failure(.libraryMissing)).remedy == "sudo apt-get install libsndfile1")
    for fault in SoundFault.allCases {
      let (line, remedy) = await look(.failure(fault))
      #expect(line.hasPrefix("warning: Of files only WAV") && remedy != nil)
    }
  }
}
