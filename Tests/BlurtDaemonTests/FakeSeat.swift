import BlurtDaemon
import BlurtTestSupport

/// A seat that a test moves.
final class FakeSeat: SeatSource {
  private let now: Box<SeatState>
  private let handler = Box<(@Sendable () -> Void)?>(nil)

  init(_ state: SeatState = .active) { now = Box(state) }

  var state: SeatState { now.value }

  func onChange(_ handler: @escaping @Sendable () -> Void) { self.handler.value = handler }

  func become(_ state: SeatState) {
    now.value = state
    handler.value?()
  }
}
