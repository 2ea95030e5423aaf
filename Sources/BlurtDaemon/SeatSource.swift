/// Tells whether this user's session is in front; a seam.
package protocol SeatSource: Sendable {
  var state: SeatState { get }
  /// Calls the handler after each change, from any thread. To be called once.
  func onChange(_ handler: @escaping @Sendable () -> Void)
}
