/// How a stored key is shown: never the key (T-105…T-108).
public struct APIKeyDisplay: Sendable, Hashable {
  /// How the text is set.
  public enum Style: Sendable, Hashable { case prose, identifier }
  /// What a person can do about it.
  public enum Action: Sendable, Hashable { case connect, change }

  /// How many characters at its end tell one key from another (T-108).
  public static let tailLength = 4
  /// A shorter key shows nothing: its end would be half of it (T-108).
  public static let minimumLengthToMask = 2 * tailLength

  public let isConnected: Bool
  public let text: String
  /// For a screen reader, which would read every bullet.
  public let spokenText: String
  public let style: Style
  public let action: Action

  public init(key: String?) {
    guard let key = key?.trimmedNonEmpty else {
      (isConnected, text, spokenText, style, action) = (false, "not connected", "not connected", .prose, .connect)
      return
    }
    isConnected = true
    action = .change
    guard key.count >= Self.minimumLengthToMask else {
      (text, spokenText, style) = ("connected", "connected", .prose)
      return
    }
    let tail = String(key.suffix(Self.tailLength))
    text = String(repeating: "•", count: Self.tailLength) + tail
    spokenText = "ends in \(tail)"
    style = .identifier
  }
}
