/// An optional value that is kept apart from what holds it, so that an absent one takes no room.
indirect enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  case none
  case some(Value)

  init(_ value: Value?) { self = value.map { .some($0) } ?? .none }

  var value: Value? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }
}
