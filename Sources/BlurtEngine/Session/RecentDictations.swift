public import FoundationEssentials

/// The last dictations, newest first (S-93). In memory only: a new process starts without any.
public struct RecentDictations: Sendable, Hashable {
  /// S-93.
  public static let capacity = 100
  /// S-93: how many a list shows.
  public static let displayedCount = 3

  /// Newest first.
  public private(set) var entries: [RecentDictation] = []
  private var lastID: UInt64 = 0

  public init() {}

  /// The entries that a list shows, newest first.
  public var displayed: ArraySlice<RecentDictation> { entries.prefix(Self.displayedCount) }

  /// What was said, oldest first, for the next request (S-96).
  public var spokenTexts: [String] { entries.reversed().map(\.spokenText) }

  /// Remembers one more and drops the oldest over capacity.
  public mutating func record(shownText: String, spokenText: String, style: String?, at date: Date) {
    lastID += 1
    let entry = RecentDictation(id: lastID, shownText: shownText, spokenText: spokenText, style: style, at: date)
    entries.insert(entry, at: 0)
    if entries.count > Self.capacity { entries.removeLast() }
  }

  /// Forgets them all. Identifiers go on from where they were (S-94).
  public mutating func removeAll() { entries = [] }
}
