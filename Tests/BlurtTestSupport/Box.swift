internal import Synchronization

/// A value that a test and the code under test share.
public final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  public init(_ value: Value) { state = Mutex(value) }

  public var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Changes the value in one step.
  public func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
    state.withLock { change(&$0) }
  }
}

extension Box {
  /// Adds to a list that is collected here.
  public func append<Element: Sendable>(_ element: Element) where Value == [Element] { update { $0.append(element) } }
}
