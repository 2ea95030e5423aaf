/// Which bound keys are down on which device; a key is down while any device holds it (H-74).
///
/// Pure bookkeeping. What comes in as state, not as an event, changes the ledger without an edge: a key that was down
/// when it was first seen must be seen up before it can start anything (H-81).
package struct KeyStateLedger: Sendable, Hashable {
  private var held: [Int: Set<Int>] = [:]

  package init() {}

  /// The keys that some device holds.
  package var keysDown: Set<Int> { held.values.reduce(into: []) { $0.formUnion($1) } }

  /// No device holds any key.
  package var isEmpty: Bool { held.values.allSatisfy(\.isEmpty) }

  package func isDown(_ code: Int) -> Bool { held.values.contains { $0.contains(code) } }

  /// Whether the device is known.
  package func contains(device: Int) -> Bool { held[device] != nil }

  /// Takes the true state of one device, new or known.
  package mutating func set(device: Int, holding codes: Set<Int>) { held[device] = codes }

  /// Takes one event of one device; returns whether the key's state over all devices changed by it.
  package mutating func change(_ code: Int, isDown: Bool, device: Int) -> Bool {
    guard held[device] != nil else { return false }
    let wasDown = self.isDown(code)
    if isDown { held[device]?.insert(code) } else { held[device]?.remove(code) }
    return self.isDown(code) != wasDown
  }

  /// Forgets a device that is gone; returns the keys that nobody holds any more.
  package mutating func remove(device: Int) -> Set<Int> {
    guard let codes = held.removeValue(forKey: device) else { return [] }
    return codes.filter { !isDown($0) }
  }
}
