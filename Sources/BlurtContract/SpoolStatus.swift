/// What lies in the spool folder.
package struct SpoolStatus: Hashable, Sendable {
  /// Recordings that were kept.
  package var recordings: Int
  /// Those among them that a daemon was writing when it died.
  package var interrupted: Int
  /// Where they lie, as files that `transcribe` takes.
  package var folder: String?

  package init(recordings: Int, interrupted: Int, folder: String? = nil) {
    self.recordings = recordings
    self.interrupted = interrupted
    self.folder = folder
  }

  var members: JSONObject {
    var members: JSONObject = ["recordings": .integer(Int64(recordings)), "interrupted": .integer(Int64(interrupted))]
    members.set("folder", folder)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      recordings: Int(clamping: try fields.count("recordings") ?? 0),
      interrupted: Int(clamping: try fields.count("interrupted") ?? 0), folder: try fields.string("folder"))
  }
}
