/// What a watcher wants besides the phases.
package struct WatchOptions: Hashable, Sendable {
  /// Microphone levels, at most every 80 ms.
  package var levels: Bool
  /// The text of each delivery (S-150).
  package var results: Bool

  package init(levels: Bool = false, results: Bool = false) {
    self.levels = levels
    self.results = results
  }
}
