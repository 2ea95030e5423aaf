/// How loud the microphone is now. Only the newest counts.
package struct LevelEvent: Hashable, Sendable {
  /// 0 for −50 dBFS and under, 1 for full scale (C-30).
  package var level: Double
  package var dictation: UInt64?

  package init(level: Double, dictation: UInt64? = nil) {
    self.level = level
    self.dictation = dictation
  }

  /// The level goes out in thousandths: a meter cannot show more, and the lines stay short.
  var members: JSONObject {
    let thousandths = (min(max(level, 0), 1) * 1000).rounded()
    var members: JSONObject = ["level": .double(thousandths.isFinite ? thousandths / 1000 : 0)]
    members.set("dictation", dictation)
    return members
  }

  init(fields: WireObject) throws {
    self.init(level: try fields.number("level") ?? 0, dictation: try fields.count("dictation"))
  }
}
