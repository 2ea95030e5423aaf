/// The members of a JSON object, sorted by their keys, each key once.
///
/// An array and not a dictionary: a message has a handful of members, which are found faster by looking than by hashing,
/// and which are then written in order.
package struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One member.
  package struct Member: Hashable, Sendable {
    package let key: String
    package var value: JSONValue
  }

  package private(set) var members: [Member] = []

  package init() {}

  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    // Most are added to.
    members.reserveCapacity(elements.count + 4)
    for (key, value) in elements { self[key] = value }
  }

  /// Takes members in any order. Throws for a key that is there twice, since what it means would depend on the reader.
  init(reading members: [Member]) throws(JSONError) {
    var isSorted = true
    for index in members.indices.dropFirst() where members[index - 1].key >= members[index].key {
      isSorted = false
      break
    }
    self.members = members
    if isSorted { return }
    self.members.sort { $0.key < $1.key }
    for index in self.members.indices.dropFirst() where self.members[index - 1].key == self.members[index].key {
      throw .repeatedKey(self.members[index].key)
    }
  }

  package var keys: [String] { members.map(\.key) }

  package subscript(key: String) -> JSONValue? {
    get {
      for member in members where member.key == key { return member.value }
      return nil
    }
    set {
      var index = members.count
      while index > 0 && members[index - 1].key > key { index -= 1 }
      let isThere = index > 0 && members[index - 1].key == key
      switch (newValue, isThere) {
      case (let value?, true): members[index - 1].value = value
      case (let value?, false): members.insert(Member(key: key, value: value), at: index)
      case (nil, true): members.remove(at: index - 1)
      case (nil, false): break
      }
    }
  }
}
