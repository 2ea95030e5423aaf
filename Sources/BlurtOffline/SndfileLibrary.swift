internal import CSndfile
internal import Glibc

/// The functions of libsndfile that read a sound, found with dlopen and dlsym, in a process that decodes one file and ends.
struct SndfileLibrary {
  /// As the library says it: `libsndfile-1.2.0`.
  let version: String
  fileprivate let open: blurt_sndfile_open_fd_t
  fileprivate let read: blurt_sndfile_readf_float_t
  fileprivate let close: blurt_sndfile_close_t

  init() throws(SoundFault) {
    guard let library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL) else { throw .libraryMissing }
    func symbol<Function>(_ name: String, as type: Function.Type) throws(SoundFault) -> Function {
      guard let address = dlsym(library, name) else { throw .libraryUnusable }
      return unsafeBitCast(address, to: type)
    }
    open = try symbol("sf_open_fd", as: blurt_sndfile_open_fd_t.self)
    read = try symbol("sf_readf_float", as: blurt_sndfile_readf_float_t.self)
    close = try symbol("sf_close", as: blurt_sndfile_close_t.self)
    let words = try symbol("sf_version_string", as: blurt_sndfile_version_t.self)()
    version = words.map { String(cString: $0) } ?? "libsndfile"
  }
}

/// One open sound; closed once.
struct SndfileHandle: ~Copyable {
  let sampleRate: Int
  let channelCount: Int
  private let library: SndfileLibrary
  private let file: UnsafeMutableRawPointer

  /// Opens a FLAC or Ogg file that stands at its beginning (`sf_open_fd`). The descriptor stays the caller's.
  init(library: SndfileLibrary, descriptor: Int32) throws(SoundFault) {
    var info = blurt_sndfile_info()
    guard let file = library.open(descriptor, Int32(blurt_sndfile_read_mode), &info, 0) else { throw .unreadable }
    // The frame count of the header is not looked at: it may say anything.
    let container = Int(info.format) & Int(blurt_sndfile_container_mask)
    guard container == Int(blurt_sndfile_flac) || container == Int(blurt_sndfile_ogg) else {
      _ = library.close(file)
      throw .unreadable
    }
    self.library = library
    self.file = file
    sampleRate = Int(info.samplerate)
    channelCount = Int(info.channels)
  }

  deinit { _ = library.close(file) }

  /// Reads as many whole frames as fit, interleaved; 0 at the end, or where nothing more can be decoded.
  func read(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
    let wanted = samples.count / channelCount
    let count = library.read(file, samples.baseAddress, Int64(wanted))
    return max(0, min(wanted, Int(clamping: count)))
  }
}
