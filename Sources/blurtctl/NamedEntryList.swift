internal import BlurtContract

/// A list whose entries people add, replace and remove by name.
protocol NamedEntryList: EntryList {
  associatedtype Entry

  /// What one of them is called. With an `s` it is the name of the verb.
  static var noun: String { get }

  /// The names of all, in order.
  var names: [String] { get }
  /// The most entries; nil where the daemon did not say.
  var countLimit: Int? { get }

  static func name(_ entry: Entry) -> String
  /// Why an entry cannot be stored; nil where it can.
  func problem(_ entry: Entry) -> String?
  /// The place of the entry that a person means.
  func index(of word: String) -> Int?
  /// Adds an entry, or puts it in the place of the one with the same name. True where it took a place.
  mutating func put(_ entry: Entry) -> Bool
  mutating func remove(at index: Int)
  mutating func removeAll()
  /// Takes the entries of a file, merged into what is there; what cannot be stored is left out. Nil stands for what is no
  /// entry at all. `replacing`: what was there goes.
  mutating func take(_ entries: [Entry?], replacing: Bool) -> ImportReport
}

extension NamedEntryList {
  /// What is said where there is no room.
  var fullness: String { "There are \(countLimit ?? names.count) \(Self.noun)s already" }
}
