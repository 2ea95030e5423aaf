internal import BlurtOS
internal import CALSA
internal import Glibc

/// Owns one open playback PCM: 48 kHz, S16, mono where the device allows it.
///
/// Belongs to the thread that opened it. Opening and closing may block where a sound server does not answer. Closed when
/// it goes out of scope, without waiting for what was not played yet.
struct CueOutput: ~Copyable {
  /// What lies ready at most: short, so that a server begins at once, and long enough for a busy machine.
  private static let bufferMicroseconds: UInt32 = 120_000
  private static let periodMicroseconds: UInt32 = 20_000
  /// How often a full buffer, or the end of the sound, is looked at. Only while a cue sounds.
  private static let lookMilliseconds: Int32 = 10
  /// How much longer than its length a sound may take, the way to the loudspeaker included.
  private static let patience: Duration = .seconds(1)

  private let pcm: OpaquePointer
  private let name: String
  private let channelCount: Int

  /// Opens a PCM by its ALSA name (`snd_pcm_open`), through `plug` where the device itself takes no such sound.
  static func open(_ name: String) throws(CueError) -> CueOutput {
    do {
      return try CueOutput(opening: name, called: name)
    } catch {
      guard error.code == -EINVAL else { throw error }
      let quote = name.contains("'") ? "\"" : "'"
      return try CueOutput(opening: "plug:\(quote)\(name)\(quote)", called: name)
    }
  }

  private init(opening name: String, called: String) throws(CueError) {
    // What libasound would print is told by the error.
    snd_lib_error_set_local(Self.quiet)
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let pcm = opened else {
      throw CueError(code < 0 ? code : -EIO, call: "snd_pcm_open", pcm: called)
    }
    do {
      channelCount = try Self.configure(pcm, called: called)
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
    self.pcm = pcm
    self.name = called
  }

  deinit { snd_pcm_close(pcm) }

  private static let quiet: snd_local_error_handler_t = { _, _, _, _, _, _ in }

  private static func configure(_ pcm: OpaquePointer, called name: String) throws(CueError) -> Int {
    func check(_ code: Int32, _ call: String) throws(CueError) {
      if code < 0 { throw CueError(code, call: call, pcm: name) }
    }
    var allocated: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&allocated), "snd_pcm_hw_params_malloc")
    guard let params = allocated else { throw CueError(-ENOMEM, call: "snd_pcm_hw_params_malloc", pcm: name) }
    defer { snd_pcm_hw_params_free(params) }
    try check(snd_pcm_hw_params_any(pcm, params), "snd_pcm_hw_params_any")
    try check(snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
    try check(snd_pcm_hw_params_set_format(pcm, params, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format")
    try check(snd_pcm_hw_params_set_rate(pcm, params, UInt32(CueSound.sampleRate), 0), "snd_pcm_hw_params_set_rate")
    var channels = 1
    if snd_pcm_hw_params_set_channels(pcm, params, 1) < 0 {
      channels = 2
      try check(snd_pcm_hw_params_set_channels(pcm, params, 2), "snd_pcm_hw_params_set_channels")
    }
    var buffer = bufferMicroseconds
    try check(
      snd_pcm_hw_params_set_buffer_time_near(pcm, params, &buffer, nil), "snd_pcm_hw_params_set_buffer_time_near")
    var period = periodMicroseconds
    try check(
      snd_pcm_hw_params_set_period_time_near(pcm, params, &period, nil), "snd_pcm_hw_params_set_period_time_near")
    try check(snd_pcm_hw_params(pcm, params), "snd_pcm_hw_params")
    return channels
  }

  /// Plays mono samples to their end, as long as they are wanted.
  ///
  /// - Returns: false where they were no longer wanted, or the device took too long.
  func play(_ samples: [Int16], while isWanted: () -> Bool) throws(CueError) -> Bool {
    let frames = channelCount == 1 ? samples : samples.flatMap { [Int16](repeating: $0, count: channelCount) }
    let total = samples.count
    let length = Duration.seconds(total) / CueSound.sampleRate
    var (written, started) = (0, nil as Duration?)
    let opened = MonotonicClock.now()
    // The clock as well as the device: a server may say at first that nothing is on its way.
    while written < total || remaining > 0 || MonotonicClock.now() < (started ?? opened) + length {
      guard isWanted(), MonotonicClock.now() < opened + length + Self.patience else { return false }
      if written < total {
        let count = write(frames, from: written)
        if count < 0 && count != -Int(EAGAIN) { throw CueError(Int32(count), call: "snd_pcm_writei", pcm: name) }
        if count > 0 {
          written += count
          if started == nil {
            started = MonotonicClock.now()
            // It may have started by itself where the buffer was full.
            if snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED {
              let code = snd_pcm_start(pcm)
              if code < 0 { throw CueError(code, call: "snd_pcm_start", pcm: name) }
            }
          }
          continue
        }
      }
      poll(nil, 0, Self.lookMilliseconds)
    }
    return true
  }

  /// - Returns: frames taken, or a negative code.
  private func write(_ frames: [Int16], from first: Int) -> Int {
    frames.withUnsafeBufferPointer { buffer in
      let rest = UnsafeBufferPointer(rebasing: buffer[(first * channelCount)...])
      return Int(snd_pcm_writei(pcm, rest.baseAddress, snd_pcm_uframes_t(rest.count / channelCount)))
    }
  }

  /// Frames that are not heard yet; 0 once the device has run dry, which is how a cue ends.
  private var remaining: Int {
    var frames: snd_pcm_sframes_t = 0
    guard snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING, snd_pcm_delay(pcm, &frames) >= 0 else { return 0 }
    return max(0, Int(frames))
  }
}
