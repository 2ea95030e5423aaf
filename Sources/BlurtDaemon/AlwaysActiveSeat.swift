/// A seat that is always in front: where nothing tells of sessions.
package struct AlwaysActiveSeat: SeatSource {
  package init() {}

  package var state: SeatState { .active }

  package func onChange(_ handler: @escaping @Sendable () -> Void) {}
}
