/// The height that a list keeps free, so that its window does not jump when rows come (S-97).
public enum ReservedListHeight {
  /// The rows and the separators between them; 0 for no row.
  public static func height(rowCount: Int, rowHeight: Double, separatorHeight: Double) -> Double {
    guard rowCount > 0 else { return 0 }
    return Double(rowCount) * rowHeight + Double(rowCount - 1) * separatorHeight
  }
}
