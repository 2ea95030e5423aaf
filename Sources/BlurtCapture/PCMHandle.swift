internal import BlurtEngine
internal import CALSA
internal import Glibc

/// Owns one open capture PCM: 16 kHz, S16, non-blocking, about 20 ms a period.
///
/// Belongs to the thread that opened it, which has called `ALSAMessages.catchOnThisThread()`. Opening, starting and
/// closing may block where a sound server does not answer; reading never does. Closed when it goes out of scope.
struct PCMHandle: ~Copyable {
  /// C-28.
  static let periodFrameCount = 320
  /// Two seconds: a process that was stopped or starved for less loses nothing.
  static let bufferFrameCount = 32_000

  private let pcm: OpaquePointer
  /// The PCM that was asked for.
  let name: String
  /// The channels that `read` interleaves.
  let channelCount: Int

  /// Opens a PCM by its ALSA name, in the manner that fits it.
  ///
  /// A bare `hw:` device speaks only its own rate and channels, so it is opened through ALSA's `plug` layer at once.
  /// Any other PCM that refuses 16 kHz mono S16 is closed and opened again through `plug`.
  static func open(_ name: String) throws(ALSAError) -> PCMHandle {
    if name.hasPrefix("hw:") || name == "hw" {
      return try PCMHandle(opening: plug(over: name), called: name, channelChoices: [2, 1])
    }
    do {
      return try PCMHandle(opening: name, called: name, channelChoices: nil)
    } catch {
      guard let fewest = error.refusedWithFewestChannels else { throw error.error }
      return try PCMHandle(opening: plug(over: name), called: name, channelChoices: fewest > 1 ? [fewest, 1] : [1])
    }
  }

  /// The name of ALSA's converting layer over that PCM.
  static func plug(over name: String) -> String {
    let quote = name.contains("'") ? "\"" : "'"
    return "plug:\(quote)\(name)\(quote)"
  }

  private struct OpenFailure: Error {
    let error: ALSAError
    /// Set where the device is there but refused the format: the fewest channels that it has.
    var refusedWithFewestChannels: Int?
  }

  private init(opening name: String, called: String, channelChoices: [Int]) throws(ALSAError) {
    do {
      try self.init(opening: name, called: called, channelChoices: Optional(channelChoices))
    } catch {
      throw error.error
    }
  }

  private init(opening name: String, called: String, channelChoices: [Int]?) throws(OpenFailure) {
    _ = ALSAMessages.take()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let pcm = opened else {
      throw OpenFailure(
        error: ALSAError(code < 0 ? code : -EIO, call: "snd_pcm_open", pcm: called, detail: ALSAMessages.take()))
    }
    // A `plug` that was not built here may stand over a stereo-only card and would then take a mean, which can cancel
    // (C-27): asked for two channels it hands both through, and gives a mono card's one channel twice.
    let choices = channelChoices ?? (snd_pcm_type(pcm) == SND_PCM_TYPE_PLUG ? [2, 1] : [1])
    let channelCount: Int
    do {
      channelCount = try Self.configure(pcm, called: called, channelChoices: choices)
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
    self.pcm = pcm
    self.name = called
    self.channelCount = channelCount
  }

  deinit { snd_pcm_close(pcm) }

  private static func configure(
    _ pcm: OpaquePointer, called name: String, channelChoices: [Int]
  ) throws(OpenFailure) -> Int {
    func check(_ code: Int32, _ call: String) throws(OpenFailure) {
      guard code < 0 else { return }
      throw OpenFailure(error: ALSAError(code, call: call, pcm: name, detail: ALSAMessages.take()))
    }
    var allocated: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&allocated), "snd_pcm_hw_params_malloc")
    guard let params = allocated else {
      throw OpenFailure(error: ALSAError(-ENOMEM, call: "snd_pcm_hw_params_malloc", pcm: name))
    }
    defer { snd_pcm_hw_params_free(params) }
    try check(snd_pcm_hw_params_any(pcm, params), "snd_pcm_hw_params_any")

    var fewest: UInt32 = 1
    _ = snd_pcm_hw_params_get_channels_min(params, &fewest)
    do {
      try check(
        snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
      try check(snd_pcm_hw_params_set_format(pcm, params, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format")
      let rate = UInt32(SyncSTTLimits.sampleRate)
      try check(snd_pcm_hw_params_set_rate(pcm, params, rate, 0), "snd_pcm_hw_params_set_rate")
      var channels = channelChoices[0]
      var code = snd_pcm_hw_params_set_channels(pcm, params, UInt32(channels))
      for choice in channelChoices.dropFirst() where code < 0 {
        channels = choice
        code = snd_pcm_hw_params_set_channels(pcm, params, UInt32(choice))
      }
      try check(code, "snd_pcm_hw_params_set_channels")

      var period = snd_pcm_uframes_t(periodFrameCount)
      try check(
        snd_pcm_hw_params_set_period_size_near(pcm, params, &period, nil), "snd_pcm_hw_params_set_period_size_near")
      var buffer = snd_pcm_uframes_t(bufferFrameCount)
      try check(
        snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer), "snd_pcm_hw_params_set_buffer_size_near")
      try check(snd_pcm_hw_params(pcm, params), "snd_pcm_hw_params")
      return channels
    } catch {
      var failure = error
      if failure.error.code == -EINVAL { failure.refusedWithFewestChannels = Int(fewest) }
      throw failure
    }
  }

  /// What kind of PCM this is, by `snd_pcm_type`: a plug-in that talks to a server, or nothing at all.
  var isServerPlugin: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG }
  var isNull: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_NULL }

  /// The number of the ALSA card behind the PCM; nil where it is none.
  var cardNumber: Int? {
    var allocated: OpaquePointer?
    guard snd_pcm_info_malloc(&allocated) >= 0, let info = allocated else { return nil }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(pcm, info) >= 0 else { return nil }
    let card = snd_pcm_info_get_card(info)
    return card >= 0 ? Int(card) : nil
  }

  /// Prepares and starts (`snd_pcm_prepare`, `snd_pcm_start`); also the way back after an overrun, where prepare
  /// alone would wait for ever (B-94).
  func start() throws(ALSAError) {
    try check(snd_pcm_prepare(pcm), "snd_pcm_prepare")
    try check(snd_pcm_start(pcm), "snd_pcm_start")
  }

  /// Tries to wake a suspended device (`snd_pcm_resume`).
  ///
  /// - Returns: false while it is still asleep; ask again later.
  func wake() throws(ALSAError) -> Bool {
    let code = snd_pcm_resume(pcm)
    if code == -EAGAIN { return false }
    // −ENOSYS: the hardware cannot resume, a fresh start does it. After a resume some drivers are only prepared.
    if code < 0 || snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING { try start() }
    return true
  }

  /// How many poll entries the PCM needs.
  var pollCount: Int { max(0, Int(snd_pcm_poll_descriptors_count(pcm))) }

  /// Fills in the PCM's own poll entries.
  func fillPoll(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(ALSAError) {
    try check(
      snd_pcm_poll_descriptors(pcm, entries.baseAddress, UInt32(entries.count)), "snd_pcm_poll_descriptors")
  }

  /// Lets the PCM look at the result of a poll; needed by plug-ins, whose descriptors are not the device itself.
  func pollEvents(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(ALSAError) -> UInt16 {
    var events: UInt16 = 0
    try check(
      snd_pcm_poll_descriptors_revents(pcm, entries.baseAddress, UInt32(entries.count), &events),
      "snd_pcm_poll_descriptors_revents")
    return events
  }

  /// Reads what is there, never more than fits, never waiting.
  ///
  /// - Returns: whole interleaved frames as a count; 0 when there are none now.
  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(ALSAError) -> Int {
    let count = snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(buffer.count / channelCount))
    if count >= 0 { return Int(count) }
    if count == -Int(EAGAIN) || count == -Int(EINTR) {
      // A device that went away may say so by its state alone.
      switch snd_pcm_state(pcm) {
      case SND_PCM_STATE_DISCONNECTED: throw ALSAError(-ENODEV, call: "snd_pcm_state", pcm: name)
      case SND_PCM_STATE_XRUN: throw ALSAError(-EPIPE, call: "snd_pcm_state", pcm: name)
      case SND_PCM_STATE_SUSPENDED: throw ALSAError(-ESTRPIPE, call: "snd_pcm_state", pcm: name)
      default: return 0
      }
    }
    throw ALSAError(Int32(count), call: "snd_pcm_readi", pcm: name, detail: ALSAMessages.take())
  }

  /// Asks the device where it stands (`snd_pcm_avail`), so that a last read gets the frames of an unfinished period.
  func catchUp() { _ = snd_pcm_avail(pcm) }

  private func check(_ code: Int32, _ call: String) throws(ALSAError) {
    if code < 0 { throw ALSAError(code, call: call, pcm: name, detail: ALSAMessages.take()) }
  }
}
