/// Makes one channel out of several by following the loudest one (C-27).
///
/// A mean would cancel where a device delivers one channel inverted, and would halve the voice where only one channel
/// carries it. A pure value for one recording; frames stay in order and none is added or dropped. What comes out does not
/// depend on how the frames are cut into blocks, but for the first one, whose loudest channel is taken from its first frame on.
public struct LoudestChannel: Sendable {
  /// Another channel must be louder by this factor in energy (3 dB) before the choice moves, so that it rests.
  static let advantage = 2.0
  /// The share of the past that stays in the running energy at each look.
  static let memory = 0.95
  /// Looks a second. The voice's onset is that much late where it changes the channel: 10 ms.
  static let looksPerSecond = 100
  /// Going over to another channel takes 5 ms: a hard cut would click.
  static let fadesPerSecond = 200

  public let channelCount: Int
  private let windowLength: Int
  private let fadeLength: Int
  private var energies: [Double]
  private var sums: [Double]
  private var squares: [Double]
  private var windowFrame = 0
  private var hasChosen = false
  private var fadedFrom = 0
  private var fadeFrame: Int
  /// The channel that is followed now.
  public private(set) var chosen = 0

  public init(channelCount: Int, sampleRate: Int = SyncSTTLimits.sampleRate) {
    let count = max(1, channelCount)
    self.channelCount = count
    windowLength = max(1, sampleRate / Self.looksPerSecond)
    fadeLength = max(1, sampleRate / Self.fadesPerSecond)
    fadeFrame = fadeLength
    energies = [Double](repeating: 0, count: count)
    sums = energies
    squares = energies
  }

  /// Appends the followed channel of whole interleaved frames.
  public mutating func reduce(_ block: UnsafeBufferPointer<Float>, into mono: inout [Float]) {
    guard channelCount > 1 else { return mono.append(contentsOf: block) }
    let frameCount = block.count / channelCount
    if !hasChosen { chooseFirst(block, frameCount) }
    var frame = 0
    while frame < frameCount {
      let end = min(frameCount, frame + windowLength - windowFrame)
      measure(block, frame..<end)
      for index in frame..<end { mono.append(sample(block, index)) }
      windowFrame += end - frame
      frame = end
      if windowFrame == windowLength { look() }
    }
  }

  private mutating func sample(_ block: UnsafeBufferPointer<Float>, _ frame: Int) -> Float {
    let followed = block[frame * channelCount + chosen]
    guard fadeFrame < fadeLength else { return followed }
    let share = Float(fadeFrame) / Float(fadeLength)
    fadeFrame += 1
    return followed * share + block[frame * channelCount + fadedFrom] * (1 - share)
  }

  /// Adds frames to the sums of the running window.
  private mutating func measure(_ block: UnsafeBufferPointer<Float>, _ frames: Range<Int>) {
    for channel in 0..<channelCount {
      var sum = 0.0
      var square = 0.0
      for frame in frames {
        let sample = Double(block[frame * channelCount + channel])
        sum += sample
        square += sample * sample
      }
      sums[channel] += sum
      squares[channel] += square
    }
  }

  /// The energy of a channel's movement: an input that only holds a constant voltage is not loud.
  private func movement(_ channel: Int, _ frameCount: Int) -> Double {
    max(0, squares[channel] - sums[channel] * sums[channel] / Double(frameCount))
  }

  private mutating func look() {
    for channel in 0..<channelCount {
      energies[channel] = energies[channel] * Self.memory + movement(channel, windowFrame)
    }
    clear()
    // While one channel fades into another a third one waits.
    guard hasChosen, fadeFrame == fadeLength else { return }
    let before = chosen
    for channel in 0..<channelCount where energies[channel] > energies[chosen] * Self.advantage { chosen = channel }
    if chosen != before {
      fadedFrom = before
      fadeFrame = 0
    }
  }

  /// The first block that has any sound decides at once, without a fade: nothing was followed before it.
  private mutating func chooseFirst(_ block: UnsafeBufferPointer<Float>, _ frameCount: Int) {
    guard frameCount > 0 else { return }
    let (keptSums, keptSquares) = (sums, squares)
    clearSums()
    measure(block, 0..<frameCount)
    for channel in 0..<channelCount where movement(channel, frameCount) > 0 {
      if !hasChosen || movement(channel, frameCount) > movement(chosen, frameCount) * Self.advantage {
        chosen = channel
        hasChosen = true
      }
    }
    (sums, squares) = (keptSums, keptSquares)
  }

  private mutating func clear() {
    clearSums()
    windowFrame = 0
  }

  private mutating func clearSums() {
    for channel in 0..<channelCount {
      sums[channel] = 0
      squares[channel] = 0
    }
  }
}
