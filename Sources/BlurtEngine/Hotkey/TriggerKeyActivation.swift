/// One bound key and how its presses are meant.
public struct TriggerKeyActivation: Sendable, Hashable {
  /// The evdev code of the key.
  public let keyCode: Int
  public let mode: ActivationMode

  public init(keyCode: Int, mode: ActivationMode = .tapOrHold) {
    self.keyCode = keyCode
    self.mode = mode
  }

  public init(_ key: TriggerKey, mode: ActivationMode = .tapOrHold) {
    self.init(keyCode: key.code, mode: mode)
  }
}
