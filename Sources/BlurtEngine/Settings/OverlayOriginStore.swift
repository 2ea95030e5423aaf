/// Where the user has dragged the overlay's panel to (P-19).
///
/// Stored as two numbers, `BlurtOverlayCustomOriginX` and `…Y`. Only both together are a place; 0, 0 is a real one.
public struct OverlayOriginStore: Sendable {
  private let settings: RawSettings

  public init(backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix) {
    settings = RawSettings(backing: backing, prefix: prefix)
  }

  /// The place; nil where it was never dragged, and where half of it is missing (S-92).
  public var origin: OverlayPlacement.Point? {
    guard let x = settings.number(.overlayCustomOriginX), let y = settings.number(.overlayCustomOriginY) else {
      return nil
    }
    return OverlayPlacement.Point(x: x, y: y)
  }

  /// Stores the place; nil forgets it. Where the second number cannot be stored, the first is put back.
  public func save(_ origin: OverlayPlacement.Point?) throws {
    let former = settings[.overlayCustomOriginX]
    try settings.store(origin.map { .number($0.x) }, for: .overlayCustomOriginX)
    do {
      try settings.store(origin.map { .number($0.y) }, for: .overlayCustomOriginY)
    } catch {
      // The first failure is the one to tell of.
      try? settings.store(former, for: .overlayCustomOriginX)
      throw error
    }
  }

  /// Either of the two numbers as it is to be stored.
  public static func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    guard case .number(let number) = value, number.isFinite else {
      return .failure(SettingRefusal("the place of the overlay is a number of pixels, such as 120"))
    }
    return .success(value)
  }
}
