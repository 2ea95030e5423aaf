internal import BlurtEngine
internal import BlurtOS
internal import CALSA
internal import Glibc

/// Owns one open capture PCM, non-blocking, at a format that the device itself has where that can be told.
///
/// Belongs to the thread that opened it, which has called `ALSAMessages.catchOnThisThread()`. Opening, starting and
/// closing may block where a sound server does not answer; reading never does. Closed when it goes out of scope.
struct PCMHandle: ~Copyable, CaptureSource {
  /// C-28: the period that is asked for, in milliseconds. A device may have another.
  static let periodMilliseconds = 20
  /// The buffer that is asked for: a process that was stopped or starved for less than two seconds loses nothing.
  static let bufferMilliseconds = 2_000

  private let pcm: OpaquePointer
  /// The PCM that was asked for.
  let name: String
  /// What `read` delivers.
  let format: StreamFormat
  /// Frames of a period and of the buffer, as the device granted them.
  let periodFrameCount: Int
  let bufferFrameCount: Int
  /// A sound server stands behind it that can be asked about its source.
  let isSoundServer: Bool
  /// The wakeup, then the PCM's own entries. Filled by `wait`, whose thread alone touches it.
  private let polled: UnsafeMutableBufferPointer<pollfd>

  /// Opens a PCM by its ALSA name, in the manner that fits it.
  ///
  /// `plughw:` is the card with ALSA's converting layer over it, so the card is tried first. A PCM that has no format we
  /// read is closed and opened again through that layer.
  static func open(_ name: String) throws(ALSAError) -> PCMHandle {
    let bare = name.hasPrefix("plughw:") ? String(name.dropFirst(4)) : name
    do {
      return try PCMHandle(opening: bare, called: name, channelCount: nil)
    } catch {
      guard let channelCount = error.refusedWithChannelCount else { throw error.error }
      do {
        return try PCMHandle(opening: plug(over: bare), called: name, channelCount: channelCount)
      } catch {
        throw error.error
      }
    }
  }

  /// The name of ALSA's converting layer over that PCM.
  static func plug(over name: String) -> String {
    let quote = name.contains("'") ? "\"" : "'"
    return "plug:\(quote)\(name)\(quote)"
  }

  private struct OpenFailure: Error {
    let error: ALSAError
    /// Set where the device is there but has no format that we read: the channels it would have given.
    var refusedWithChannelCount: Int?
  }

  /// - Parameter channelCount: The channels to ask for; nil where the PCM decides.
  private init(opening name: String, called: String, channelCount: Int?) throws(OpenFailure) {
    _ = ALSAMessages.take()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let pcm = opened else {
      throw OpenFailure(
        error: ALSAError(code < 0 ? code : -EIO, call: "snd_pcm_open", pcm: called, detail: ALSAMessages.take()))
    }
    let setup: PCMSetup
    do {
      setup = try PCMSetup(negotiatedWith: pcm, channelCount: channelCount)
    } catch {
      snd_pcm_close(pcm)
      throw OpenFailure(
        error: ALSAError(error.code, call: error.call, pcm: called, detail: ALSAMessages.take()),
        refusedWithChannelCount: error.code == -EINVAL ? error.channelCount : nil)
    }
    self.pcm = pcm
    self.name = called
    format = setup.format
    periodFrameCount = setup.periodFrameCount
    bufferFrameCount = setup.bufferFrameCount
    isSoundServer = Self.isSoundServer(pcm)
    polled = .allocate(capacity: 1 + max(0, Int(snd_pcm_poll_descriptors_count(pcm))))
    polled.initialize(repeating: pollfd())
  }

  deinit {
    snd_pcm_close(pcm)
    polled.deallocate()
  }

  var canBeReadByTheClock: Bool {
    let handOver = format.frameCount(milliseconds: handOverMilliseconds)
    // A device whose own period is longer wakes nobody more often.
    return periodFrameCount <= handOver && bufferFrameCount >= 3 * handOver
  }

  /// What is not read yet when a card is pulled out is gone with it, and a server keeps it: a card is read more often.
  var handOverMilliseconds: Int { isSoundServer ? CaptureWorker.handOverMilliseconds : Self.periodMilliseconds }

  /// What kind of PCM this is, by `snd_pcm_type`: a plug-in that talks to a server, or nothing at all.
  var isPlugin: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG }
  var isNull: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_NULL }

  /// The plug-ins of PulseAudio and PipeWire say who they are in `snd_pcm_dump`, also through the layers over them.
  private static func isSoundServer(_ pcm: OpaquePointer) -> Bool {
    var opened: OpaquePointer?
    guard snd_output_buffer_open(&opened) >= 0, let output = opened else { return false }
    defer { snd_output_close(output) }
    var text: UnsafeMutablePointer<CChar>?
    guard snd_pcm_dump(pcm, output) >= 0 else { return false }
    let count = snd_output_buffer_string(output, &text)
    guard count > 0, let text else { return false }
    let dump = String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
    return dump.contains("PulseAudio") || dump.contains("PipeWire")
  }

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

  func wait(for wakeup: Wakeup, atMost time: Duration, byTheClock: Bool) throws(ALSAError) -> Bool {
    // The wakeup first, so that it can be waited for alone.
    polled[0] = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    let own = UnsafeMutableBufferPointer(rebasing: polled.dropFirst())
    if byTheClock {
      for index in own.indices { own[index].revents = 0 }
    } else {
      try check(snd_pcm_poll_descriptors(pcm, own.baseAddress, UInt32(own.count)), "snd_pcm_poll_descriptors")
    }
    _ = poll(polled.baseAddress, nfds_t(byTheClock ? 1 : polled.count), CaptureWorker.pollTime(time))
    return polled[0].revents != 0
  }

  /// Lets the PCM look at the result of a poll; needed by plug-ins, whose descriptors are not the device itself.
  func takeEvents() throws(ALSAError) {
    let own = UnsafeMutableBufferPointer(rebasing: polled.dropFirst())
    guard own.contains(where: { $0.revents != 0 }) else { return }
    var events: UInt16 = 0
    try check(
      snd_pcm_poll_descriptors_revents(pcm, own.baseAddress, UInt32(own.count), &events),
      "snd_pcm_poll_descriptors_revents")
  }

  /// A PCM cannot tell; `ServerInquiry` asks for it.
  func takeSource() -> ServerSource? { nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ALSAError) -> Int {
    let count = snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(buffer.count / format.frameByteCount))
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
