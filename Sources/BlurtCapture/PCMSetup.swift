internal import BlurtEngine
internal import CALSA
internal import Glibc

/// The format, period and buffer that were agreed on with an open PCM.
///
/// A card is taken as it is: its own rate, all its channels, a format without loss, because ALSA's converting layer would
/// take a mean of channels, which can cancel, hide those past the second, and hold back the last period (DESIGN.md,
/// "Formats"). A sound server and that layer cannot be asked what lies behind them: they get our own rate, or the rate
/// they need not convert, and two channels.
struct PCMSetup {
  struct Refusal: Error {
    let code: Int32
    let call: String
    /// The channels that would have been asked for.
    let channelCount: Int
  }

  let format: StreamFormat
  let periodFrameCount: Int
  let bufferFrameCount: Int

  /// Formats by preference. 16 bits hold more than a microphone; the others are for devices that have nothing else.
  private static let samples: [(SampleFormat, snd_pcm_format_t)] = [
    (.s16, SND_PCM_FORMAT_S16_LE), (.s32, SND_PCM_FORMAT_S32_LE), (.s24, SND_PCM_FORMAT_S24_LE),
    (.s24Packed, SND_PCM_FORMAT_S24_3LE), (.float, SND_PCM_FORMAT_FLOAT_LE),
  ]
  /// Rates by preference: ours, then whole multiples of it, then what is left above and below.
  private static let rates: [UInt32] = [
    16_000, 48_000, 32_000, 96_000, 44_100, 88_200, 192_000, 176_400, 24_000, 22_050, 12_000, 11_025, 8_000,
  ]
  /// A device with more has them all the same, but what to ask for has to end somewhere.
  private static let mostChannels: UInt32 = 32

  /// Negotiates and installs (`snd_pcm_hw_params`).
  ///
  /// - Parameter wanted: The channels to ask for; nil where the kind of PCM decides.
  init(negotiatedWith pcm: OpaquePointer, channelCount wanted: Int?) throws(Refusal) {
    var channels: UInt32 = 1
    func check(_ code: Int32, _ call: String) throws(Refusal) {
      if code < 0 { throw Refusal(code: code, call: call, channelCount: Int(channels)) }
    }
    var allocated: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&allocated), "snd_pcm_hw_params_malloc")
    guard let params = allocated else {
      throw Refusal(code: -ENOMEM, call: "snd_pcm_hw_params_malloc", channelCount: 1)
    }
    defer { snd_pcm_hw_params_free(params) }
    try check(snd_pcm_hw_params_any(pcm, params), "snd_pcm_hw_params_any")
    let kind = snd_pcm_type(pcm)
    channels = Self.channels(of: params, kind: kind, wanted: wanted)

    // The converting layer over a card of another rate then offers that rate alone. Where it cannot, it converts.
    if kind == SND_PCM_TYPE_PLUG { _ = snd_pcm_hw_params_set_rate_resample(pcm, params, 0) }
    try check(
      snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
    guard
      let sample = Self.samples.first(where: { snd_pcm_hw_params_set_format(pcm, params, $0.1) >= 0 })
    else { throw Refusal(code: -EINVAL, call: "snd_pcm_hw_params_set_format", channelCount: Int(channels)) }
    try check(snd_pcm_hw_params_set_channels_near(pcm, params, &channels), "snd_pcm_hw_params_set_channels_near")
    if !Self.rates.contains(where: { snd_pcm_hw_params_set_rate(pcm, params, $0, 0) >= 0 }) {
      var rate: UInt32 = 48_000
      try check(snd_pcm_hw_params_set_rate_near(pcm, params, &rate, nil), "snd_pcm_hw_params_set_rate_near")
    }
    var rate: UInt32 = 0
    try check(snd_pcm_hw_params_get_rate(params, &rate, nil), "snd_pcm_hw_params_get_rate")
    let format = StreamFormat(sample: sample.0, rate: Int(rate), channelCount: Int(channels))

    var period = snd_pcm_uframes_t(format.frameCount(milliseconds: PCMHandle.periodMilliseconds))
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, params, &period, nil), "snd_pcm_hw_params_set_period_size_near")
    var buffer = snd_pcm_uframes_t(format.frameCount(milliseconds: PCMHandle.bufferMilliseconds))
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer), "snd_pcm_hw_params_set_buffer_size_near")
    try check(snd_pcm_hw_params(pcm, params), "snd_pcm_hw_params")
    self.format = format
    periodFrameCount = Int(period)
    bufferFrameCount = Int(buffer)
    Self.wakeByPeriod(pcm, period: period, buffer: buffer, format: format)
  }

  private static func channels(of params: OpaquePointer, kind: snd_pcm_type_t, wanted: Int?) -> UInt32 {
    var fewest: UInt32 = 1
    var most: UInt32 = 1
    _ = snd_pcm_hw_params_get_channels_min(params, &fewest)
    _ = snd_pcm_hw_params_get_channels_max(params, &most)
    if let wanted { return min(max(UInt32(wanted), fewest), max(fewest, most)) }
    // What converts channels claims to have any number of them. Two show a stereo microphone as it is, and a mono one
    // costs little more.
    let claims = kind == SND_PCM_TYPE_IOPLUG || kind == SND_PCM_TYPE_PLUG || most > mostChannels
    return claims ? min(max(2, fewest), max(fewest, most)) : most
  }

  /// A card with shorter periods than ours still wakes us once in 20 ms.
  private static func wakeByPeriod(
    _ pcm: OpaquePointer, period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t, format: StreamFormat
  ) {
    let wanted = snd_pcm_uframes_t(format.frameCount(milliseconds: PCMHandle.periodMilliseconds))
    guard period < wanted, wanted <= buffer / 2 else { return }
    var allocated: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&allocated) >= 0, let params = allocated else { return }
    defer { snd_pcm_sw_params_free(params) }
    guard snd_pcm_sw_params_current(pcm, params) >= 0,
      snd_pcm_sw_params_set_avail_min(pcm, params, wanted) >= 0
    else { return }
    // Refused: woken more often, nothing else.
    _ = snd_pcm_sw_params(pcm, params)
  }
}
