/// Judges whether a device's events reach us (B-12).
///
/// A program that grabs a device (`EVIOCGRAB`, as key remappers do) takes its events away from every other reader, and no
/// call tells of it. What gives it away: keys that change, again and again, without an event. Pure bookkeeping.
struct DeliveryWitness: Sendable, Hashable {
  /// So many changes in a row without an event are no accident: one may be an event that came at that very moment.
  static let changesOfASilencedDevice = 2

  private var hasSpoken = false
  private var missedChanges = 0

  /// Another program has the device's events.
  var isSilenced: Bool { missedChanges >= Self.changesOfASilencedDevice }

  /// An event came: it is not silenced, and need not be asked this time.
  mutating func heard() {
    hasSpoken = true
    missedChanges = 0
  }

  /// Its keys changed without an event.
  mutating func missed() { missedChanges = min(missedChanges + 1, Self.changesOfASilencedDevice) }

  /// Whether it told nothing since this was asked last.
  mutating func wasSilent() -> Bool {
    defer { hasSpoken = false }
    return !hasSpoken
  }
}
