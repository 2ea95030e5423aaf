/// Decides whether a microphone that was just started truly delivers (C-13…C-18).
///
/// A pure value: blocks go in as they arrive, with the time since the device started; the verdict comes out. It fails
/// closed: a device that delivers nothing, or nothing but digital silence, is not used.
public struct MicLiveness: Sendable {
  /// C-13, C-14: the border between digital silence and any analogue input. Not a speech threshold: the quietest room
  /// is far above it.
  public static let silenceFloorDB = -115.0
  /// Power is taken over at least that many frames (20 ms), so that one stray bit in a short block does not pass
  /// for sound (C-26). A shorter block is read as if zeros followed it, which costs no waiting.
  public static let shortestWindow = 320

  public enum Verdict: Sendable, Hashable {
    /// Nothing live yet; look again within that time.
    case waiting(remaining: Duration)
    /// C-13: a live frame has arrived.
    case live
    /// C-17: the cap has passed. Tear down (C-18).
    case expired
  }

  /// How long a live frame may take. It may change when more is known of the microphone.
  public var cap: Duration
  /// Frames seen so far.
  public private(set) var frameCount = 0
  /// The loudest power seen so far; `AudioPower.noSignal` before the first frame.
  public private(set) var powerDB = AudioPower.noSignal
  public private(set) var isLive = false

  public init(cap: Duration) { self.cap = cap }

  /// C-13: strictly above the floor. Exactly the floor, −∞ and NaN are not live.
  public static func isLive(powerDB: Double) -> Bool { powerDB > silenceFloorDB }

  /// Takes in one interleaved block.
  public mutating func hear(_ block: UnsafeBufferPointer<Int16>, channelCount: Int) {
    hear(AudioPower.loudestChannelEnergy(of: block, channelCount: channelCount), shortestWindow: Self.shortestWindow)
  }

  /// Takes in one interleaved block as a device delivered it, in units of a 16-bit sample: what 16 bits cannot hold counts.
  package mutating func hear(_ block: UnsafeBufferPointer<Float>, of format: StreamFormat) {
    hear(
      AudioPower.loudestChannelEnergy(of: block, channelCount: format.channelCount),
      shortestWindow: Self.shortestWindow * format.rate / SyncSTTLimits.sampleRate)
  }

  private mutating func hear(_ heard: (energy: Double, frameCount: Int), shortestWindow: Int) {
    guard heard.frameCount > 0 else { return }
    frameCount += heard.frameCount
    let frames = max(heard.frameCount, shortestWindow)
    powerDB = max(powerDB, AudioPower.decibels(energy: heard.energy, frameCount: frames))
    if Self.isLive(powerDB: powerDB) { isLive = true }
  }

  /// What to do now, that long after the device started. Sound that arrived in time counts even if it is looked at late.
  public func verdict(after elapsed: Duration) -> Verdict {
    if isLive { return .live }
    return elapsed < cap ? .waiting(remaining: cap - elapsed) : .expired
  }
}
