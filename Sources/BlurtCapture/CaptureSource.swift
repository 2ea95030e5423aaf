internal import BlurtEngine
internal import BlurtOS

/// One open microphone as its capture thread reads it: a PCM of ALSA, or a stream of a sound server.
///
/// Belongs to the thread that opened it. Closed when it goes out of scope.
protocol CaptureSource: ~Copyable {
  /// The PCM that was asked for.
  var name: String { get }
  /// What `read` delivers.
  var format: StreamFormat { get }
  /// Frames after which the source says by itself that there is sound.
  var periodFrameCount: Int { get }
  /// Holds sound for so long that nobody needs to look at it more often than every `handOverMilliseconds`.
  var canBeReadByTheClock: Bool { get }
  /// How often a live recording is read by the clock.
  var handOverMilliseconds: Int { get }

  /// Sleeps until there may be sound, the wakeup is signalled (it stays so) or the time has passed.
  ///
  /// - Parameter byTheClock: New sound does not end the sleep.
  /// - Returns: whether the wakeup was signalled.
  func wait(for wakeup: Wakeup, atMost time: Duration, byTheClock: Bool) throws(ALSAError) -> Bool
  /// Takes in what the last `wait` has seen.
  func takeEvents() throws(ALSAError)
  /// Takes in all that there is by now, so that a last read gets the frames of an unfinished period.
  func catchUp()
  /// What a sound server has said of its source, once for each source that it records from; nil where there is nothing new.
  func takeSource() -> ServerSource?
  /// Reads what is there, never more than fits, never waiting.
  ///
  /// - Returns: whole interleaved frames as a count; 0 when there are none now.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ALSAError) -> Int
  /// Starts anew after an overrun (B-94).
  func start() throws(ALSAError)
  /// Tries to wake a suspended source.
  ///
  /// - Returns: false while it is still asleep; ask again later.
  func wake() throws(ALSAError) -> Bool
}
