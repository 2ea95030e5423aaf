internal import BlurtContract

/// What a connection watches, and how far it has been told.
struct Subscription {
  let options: WatchOptions
  /// The first event of the log that it has not taken.
  var cursor: UInt64
  /// The number of the newest level that it was told, or that was there before it came.
  var level: UInt64
}
