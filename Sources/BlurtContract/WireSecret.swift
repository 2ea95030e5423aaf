/// A secret on its way to the daemon. It prints as nothing, however it is interpolated or dumped (T-111).
package struct WireSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The secret itself: for the store and its check alone.
  package let revealed: String

  package init(_ revealed: String) { self.revealed = revealed }

  package var description: String { "[key]" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
