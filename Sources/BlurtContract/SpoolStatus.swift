/// What lies in the spool folder.
package struct SpoolStatus: Hashable, Sendable {
  /// Recordings that were kept.
  package var recordings: Int
  /// Those among them that a daemon was writing when it died.
  package var interrupted: Int

  package init(recordings: Int, interrupted: Int) {
    self.recordings = recordings
    self.interrupted = interrupted
  }

  var members: JSONObject {
    ["recordings": .integer(Int64(recordings)), "interrupted": .integer(Int64(interrupted))]
  }

  init(fields: WireObject) throws {
    self.init(
      recordings: Int(clamping: try fields.count("recordings") ?? 0),
      interrupted: Int(clamping: try fields.count("interrupted") ?? 0))
  }
}
