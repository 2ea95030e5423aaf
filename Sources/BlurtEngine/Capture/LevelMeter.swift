/// Turns captured sound into the values of the level meter (C-30, C-31).
///
/// A pure value that counts frames instead of reading a clock: one value for each 50 ms of sound.
public struct LevelMeter: Sendable {
  /// C-30: values a second.
  public static let valuesPerSecond = 20
  /// Frames behind one value.
  public static let window = SyncSTTLimits.sampleRate / valuesPerSecond
  /// C-30: reads as 0, and everything under it does.
  public static let floorDB = -50.0

  private var energy = 0.0
  private var frameCount = 0

  public init() {}

  /// C-30: (dB + 50) ÷ 50, held to 0…1; 0 for what is not a finite number.
  public static func value(ofPowerDB power: Double) -> Float {
    guard power.isFinite else { return 0 }
    return Float(min(1, max(0, (power - floorDB) / -floorDB)))
  }

  /// Takes in one block of mono sound and returns the newest value that it completed, if any.
  public mutating func hear(_ block: UnsafeBufferPointer<Int16>) -> Float? {
    var newest: Float?
    var rest = block
    while !rest.isEmpty {
      let count = min(rest.count, Self.window - frameCount)
      let part = UnsafeBufferPointer(rebasing: rest[..<count])
      energy += AudioPower.loudestChannelEnergy(of: part, channelCount: 1).energy
      frameCount += count
      rest = UnsafeBufferPointer(rebasing: rest[count...])
      if frameCount == Self.window {
        newest = Self.value(ofPowerDB: AudioPower.decibels(energy: energy, frameCount: frameCount))
        energy = 0
        frameCount = 0
      }
    }
    return newest
  }
}
