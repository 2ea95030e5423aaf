internal import BlurtEngine
internal import BlurtOS
internal import CMoonshine
internal import Glibc

/// `blurt-offline --decode`: the FLAC or Ogg file on stdin becomes 16 kHz mono S16LE on stdout.
///
/// The process is locked in before foreign code is loaded: no network, no other program, and once the library is there, no
/// file. It may take no more than so much memory, and it stops where a recording must end, whatever the header promises.
enum SoundDecoding {
  /// Samples of all channels of one read.
  private static let blockSampleCount = 32_768
  private static let mostSamples =
    Int(SyncSTTLimits.maximumRecording / .milliseconds(1)) * SyncSTTLimits.sampleRate / 1_000

  /// Returns the exit status: 0, or that of the fault. `parent` is the process that must outlive this one.
  static func run(parent: Int32?) -> Int32 {
    if let parent {
      _ = blurt_offline_die_with_parent()
      guard getppid() == parent else { return 1 }
    }
    do throws(SoundFault) {
      try decode(try lockedInLibrary(), from: 0, to: 1)
      return 0
    } catch {
      return error.rawValue
    }
  }

  /// `blurt-offline --decoders`: the library's version on stdout, and whether such a process can open a file. Returns the
  /// exit status, as `run` does.
  static func tellVersion() -> Int32 {
    do throws(SoundFault) {
      let library = try lockedInLibrary()
      let file = open("/proc/self/status", O_RDONLY)
      print("\(library.version)\nfiles    \(file < 0 ? "refused" : "REACHABLE")")
      print("network  \(OfflineSandbox.networkIsRefused ? "refused" : "REACHABLE")")
      return 0
    } catch {
      return error.rawValue
    }
  }

  private static func lockedInLibrary() throws(SoundFault) -> SndfileLibrary {
    _ = OfflineSandbox.enter()
    limitMemory()
    let library = try SndfileLibrary()
    OfflineSandbox.refuseFiles()
    return library
  }

  private static func decode(
    _ library: SndfileLibrary, from input: Int32, to output: Int32
  ) throws(SoundFault) {
    let sound = try SndfileHandle(library: library, descriptor: input)
    guard (4_000...192_000).contains(sound.sampleRate), (1...32).contains(sound.channelCount) else {
      throw .unsupportedLayout
    }
    var converter = Converter(sampleRate: sound.sampleRate, channelCount: sound.channelCount)
    var block = [Float](repeating: 0, count: blockSampleCount)
    var sampleCount = 0
    while true {
      let count = block.withUnsafeMutableBufferPointer { sound.read(into: $0) }
      let bytes = count > 0 ? converter.convert(block[..<(count * sound.channelCount)]) : converter.finish()
      sampleCount += bytes.count / 2
      guard sampleCount <= mostSamples else { throw .tooLong }
      write(bytes, to: output)
      guard count > 0 else { break }
    }
    guard sampleCount > 0 else { throw .empty }
  }

  /// Where nobody reads any more, SIGPIPE ends the process.
  private static func write(_ bytes: [UInt8], to output: Int32) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count > 0 { done += count } else if errno != EINTR { return }
    }
  }

  /// A header can ask for any amount of memory. Counted from what is there already, as a sanitizer reserves terabytes.
  private static func limitMemory() {
    guard let file = try? FileDescriptor.open("/proc/self/statm", O_RDONLY),
      let bytes = try? file.read(upTo: 256),
      let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").first.flatMap({ Int($0) })
    else { return }
    let bound = rlim_t(pages * Int(sysconf(Int32(_SC_PAGESIZE))) + SoundDecoder.memoryLimit)
    var limit = rlimit(rlim_cur: bound, rlim_max: bound)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }

  /// Makes of a file's frames what `WAVFile` makes of them: the mean of the channels, through our own filter, rounded once.
  private struct Converter {
    private let channelCount: Int
    private var resampler: Resampler?
    private var mono: [Float] = []
    private var output: [Float] = []

    init(sampleRate: Int, channelCount: Int) {
      self.channelCount = channelCount
      if sampleRate != SyncSTTLimits.sampleRate {
        resampler = Resampler(from: sampleRate, to: SyncSTTLimits.sampleRate)
      }
    }

    /// Takes whole frames, interleaved. The filter keeps the last milliseconds back.
    mutating func convert(_ samples: ArraySlice<Float>) -> [UInt8] {
      mono.removeAll(keepingCapacity: true)
      var index = samples.startIndex
      while index < samples.endIndex {
        var sum: Float = 0
        for sample in samples[index..<index + channelCount] where sample.isFinite { sum += max(-1, min(1, sample)) }
        mono.append(sum / Float(channelCount))
        index += channelCount
      }
      guard resampler != nil else { return WAVFile.bytes(mono) }
      output.removeAll(keepingCapacity: true)
      mono.withUnsafeBufferPointer { resampler?.convert($0, into: &output) }
      return WAVFile.bytes(output)
    }

    mutating func finish() -> [UInt8] {
      output.removeAll(keepingCapacity: true)
      resampler?.finish(into: &output)
      return WAVFile.bytes(output)
    }
  }
}
