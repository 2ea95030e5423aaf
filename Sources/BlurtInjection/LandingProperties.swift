internal import CX11

/// Lends properties of our window to those who fetch selections: where an owner puts what was asked for.
///
/// A property whose answer never came is not lent again before that answer has come: what a slow owner writes at last
/// would otherwise be taken for the answer to a later question. Confined to the X thread.
final class LandingProperties {
  private var free: [Atom]
  /// Lent, and given back before the answer came; the oldest first.
  private var awaited: [Atom] = []

  init(_ properties: [Atom]) { free = properties }

  /// A property that nobody writes to. Nil where all are lent.
  func take() -> Atom? {
    if free.isEmpty, !awaited.isEmpty {
      // Owners that never answer must not use them up.
      free.append(awaited.removeFirst())
    }
    return free.popLast()
  }

  /// The property is no longer needed. `isAnswered` is false where its owner may still write to it.
  func giveBack(_ property: Atom, isAnswered: Bool) {
    if isAnswered { free.append(property) } else { awaited.append(property) }
  }

  /// A late answer has come whole: nothing more will be written there.
  func answeredLate(_ property: Atom) {
    guard let index = awaited.firstIndex(of: property) else { return }
    free.append(awaited.remove(at: index))
  }
}
