internal import BlurtContract

/// One style, as it stands in the setting (P-31).
struct Style: Hashable {
  /// Blank where the daemon is to make one from the name.
  var id: String
  var name: String
  var instructions: String

  var json: JSONValue {
    var members: JSONObject = ["name": .string(name), "instructions": .string(instructions)]
    if !id.isEmpty { members["id"] = .string(id) }
    return .object(members)
  }

  init(id: String, name: String, instructions: String) {
    self.id = Trimming.trimmed(id)
    self.name = Trimming.trimmed(name)
    self.instructions = Trimming.trimmed(instructions)
  }

  /// Nil for what is no style.
  init?(_ value: JSONValue) {
    guard let members = value.object, let name = members["name"]?.string,
      let instructions = members["instructions"]?.string
    else { return nil }
    self.init(id: members["id"]?.string ?? "", name: name, instructions: instructions)
  }
}
