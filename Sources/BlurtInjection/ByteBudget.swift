/// The bytes that readers side by side may still take. Confined to the X thread.
final class ByteBudget {
  private(set) var left: Int

  init(_ limit: Int) { left = limit }

  /// False where that is more than is left.
  func take(_ count: Int) -> Bool {
    guard count <= left else { return false }
    left -= count
    return true
  }

  /// What was taken was thrown away again.
  func giveBack(_ count: Int) { left += count }
}
