/// Where the overlay's panel stands on a screen (S-92).
///
/// Coordinates are those of X: pixels, x to the right, y downwards. The panel is the pill and room for its shadow.
public struct OverlayPlacement: Sendable, Hashable {
  public struct Point: Sendable, Hashable {
    public let x: Double
    public let y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  public struct Size: Sendable, Hashable {
    public let width: Double
    public let height: Double

    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  public struct Rectangle: Sendable, Hashable {
    public let origin: Point
    public let size: Size

    public init(origin: Point, size: Size) {
      self.origin = origin
      self.size = size
    }

    public var maxX: Double { origin.x + size.width }
    public var maxY: Double { origin.y + size.height }
  }

  /// What stays free between the pill and the lower edge of the screen, where it was never dragged.
  public static let bottomClearance = 80.0

  /// The pill alone.
  public let pill: Size
  /// The room for the shadow on each side of the pill.
  public let shadowMargin: Double

  public init(pill: Size, shadowMargin: Double) {
    self.pill = pill
    self.shadowMargin = shadowMargin
  }

  /// The panel: the pill and its shadow on both sides.
  public var panel: Size {
    Size(width: pill.width + 2 * shadowMargin, height: pill.height + 2 * shadowMargin)
  }

  /// The panel on that screen: where it was dragged to, else in the middle near the lower edge; never off the screen.
  ///
  /// Where the screen is too small for it, its right and lower edges are the ones to be seen.
  public func frame(on screen: Rectangle, saved: Point? = nil) -> Rectangle {
    let wanted = saved.flatMap { $0.x.isFinite && $0.y.isFinite ? $0 : nil } ?? restingOrigin(on: screen)
    return Rectangle(
      origin: Point(
        x: Self.clamped(wanted.x, from: screen.origin.x, to: screen.maxX - panel.width),
        y: Self.clamped(wanted.y, from: screen.origin.y, to: screen.maxY - panel.height)),
      size: panel)
  }

  private func restingOrigin(on screen: Rectangle) -> Point {
    Point(
      x: screen.origin.x + (screen.size.width - panel.width) / 2,
      y: screen.maxY - Self.bottomClearance + shadowMargin - panel.height)
  }

  /// The far edge wins where both cannot be had.
  private static func clamped(_ value: Double, from least: Double, to most: Double) -> Double {
    min(max(value, least), most)
  }
}
