internal import BlurtContract

/// An entry of an imported file that cannot be used.
struct Dropped: Hashable {
  /// Its place in the file, from 1.
  let entry: Int
  /// One sentence for people: what is wrong with it.
  let message: String

  var members: JSONObject { ["entry": .integer(Int64(entry)), "message": .string(message)] }
}
