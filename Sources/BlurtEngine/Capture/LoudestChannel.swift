/// Makes one channel out of several by following the loudest one (C-27).
///
/// A mean would cancel where a device delivers one channel inverted, and would halve the voice where only one channel
/// carries it. A pure value; frames stay in order and none is added or dropped.
public struct LoudestChannel: Sendable {
  /// Another channel must be louder by this factor in energy (3 dB) before the choice moves, so that it rests.
  static let advantage = 2.0
  /// The share of the past that stays in the running energy at each block.
  static let memory = 0.9

  public let channelCount: Int
  private var energies: [Double]
  /// The channel that is followed now.
  public private(set) var chosen = 0

  public init(channelCount: Int) {
    self.channelCount = max(1, channelCount)
    energies = [Double](repeating: 0, count: self.channelCount)
  }

  /// Writes the followed channel of an interleaved block to the front of that same block.
  ///
  /// - Returns: how many samples stand there now.
  public mutating func reduce(_ block: UnsafeMutableBufferPointer<Int16>) -> Int {
    let frameCount = block.count / channelCount
    guard channelCount > 1 else { return frameCount }
    for channel in 0..<channelCount {
      var sum = 0.0
      for frame in 0..<frameCount {
        let sample = Double(block[frame * channelCount + channel])
        sum += sample * sample
      }
      energies[channel] = energies[channel] * Self.memory + sum
    }
    for channel in 0..<channelCount where energies[channel] > energies[chosen] * Self.advantage { chosen = channel }
    // Reads run ahead of writes, so the block can be its own target.
    for frame in 0..<frameCount { block[frame] = block[frame * channelCount + chosen] }
    return frameCount
  }
}
