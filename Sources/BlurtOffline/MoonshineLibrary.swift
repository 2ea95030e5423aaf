internal import BlurtEngine
internal import CMoonshine
internal import Glibc

/// The functions of libmoonshine, found with dlopen and dlsym.
///
/// The library stays loaded until the process ends: it cannot be unloaded safely. One thread uses it.
struct MoonshineLibrary {
  let path: String
  /// The library's own interface version; equal to the one the declarations belong to.
  let version: Int32
  private let errorToString: blurt_moonshine_error_to_string_t
  fileprivate let load: blurt_moonshine_load_t
  fileprivate let transcribe: blurt_moonshine_transcribe_t
  fileprivate let free: blurt_moonshine_free_t

  /// Loads the library and checks its version before anything else is called.
  init(path: String) throws(UnderlyingError) {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
      throw OfflineFault.libraryUnusable.error(
        "The offline engine's library cannot be loaded (\(reason)). It needs glibc 2.34 and libstdc++. "
          + OfflineFault.remedy)
    }
    func symbol<Function>(_ name: String, as type: Function.Type) throws(UnderlyingError) -> Function {
      guard let address = dlsym(library, name) else {
        throw OfflineFault.libraryUnusable.error(
          "The offline engine's library lacks \(name): it is not the pinned release. \(OfflineFault.remedy)")
      }
      return unsafeBitCast(address, to: type)
    }
    let getVersion = try symbol("moonshine_get_version", as: blurt_moonshine_get_version_t.self)
    let version = getVersion()
    guard version == Int32(blurt_moonshine_interface_version) else {
      throw OfflineFault.libraryUnusable.error(
        "The offline engine's library has interface version \(version), but only "
          + "\(blurt_moonshine_interface_version) is supported. \(OfflineFault.remedy)")
    }
    self.path = path
    self.version = version
    errorToString = try symbol("moonshine_error_to_string", as: blurt_moonshine_error_to_string_t.self)
    load = try symbol("moonshine_load_transcriber_from_files", as: blurt_moonshine_load_t.self)
    transcribe = try symbol("moonshine_transcribe_without_streaming", as: blurt_moonshine_transcribe_t.self)
    free = try symbol("moonshine_free_transcriber", as: blurt_moonshine_free_t.self)
  }

  /// The library's words for an error code.
  func words(for code: Int32) -> String {
    errorToString(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

/// One loaded transcriber of the library; freed once.
struct MoonshineHandle: ~Copyable {
  private let library: MoonshineLibrary
  private let handle: Int32

  /// Loads it (`moonshine_load_transcriber_from_files`). Options are names and values as the library spells them.
  init(library: MoonshineLibrary, model: String, options: [(name: String, value: String)]) throws(UnderlyingError) {
    // The strings must outlive the call, and the call alone: the library copies them.
    let strings = options.map { (strdup($0.name), strdup($0.value)) }
    defer {
      for (name, value) in strings {
        Glibc.free(name)
        Glibc.free(value)
      }
    }
    let table = strings.map { blurt_moonshine_option(name: $0.0, value: $0.1) }
    let handle = library.load(
      model, UInt32(blurt_moonshine_architecture_tiny), table, UInt64(table.count),
      Int32(blurt_moonshine_interface_version))
    guard handle >= 0 else {
      throw OfflineFault.modelUnusable.error(
        "The offline engine did not take the model in \(model) (\(library.words(for: handle))). \(OfflineFault.remedy)")
    }
    self.library = library
    self.handle = handle
  }

  deinit { library.free(handle) }

  /// Runs one whole clip and gives each line to `body` as it stands in the library's memory.
  func forEachLine(
    of samples: UnsafeBufferPointer<Float>, _ body: (borrowing blurt_moonshine_line) -> Void
  ) throws(UnderlyingError) {
    var transcript: UnsafeMutablePointer<blurt_moonshine_transcript>?
    let code = library.transcribe(
      handle, samples.baseAddress, UInt64(samples.count), Int32(SyncSTTLimits.sampleRate), 0, &transcript)
    guard code == 0, let transcript else {
      throw OfflineFault.decodeFailed.error(
        "The offline engine could not decode the recording (\(library.words(for: code))). "
          + "It is kept: blurtctl retry sends it again.")
    }
    guard let lines = transcript.pointee.lines else { return }
    for index in 0..<Int(clamping: transcript.pointee.line_count) { body(lines[index]) }
  }
}
