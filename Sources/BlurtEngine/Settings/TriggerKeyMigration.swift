/// Rewrites a stored trigger key that once meant another one, or none, to the default, once (H-54).
///
/// The codes are those of upstream's keys, among them 63, its fn before that was withdrawn. Here they were unknown and
/// meant the default (H-53), until Shift, Caps Lock and F1 to F5, whose evdev codes they are, were accepted: whoever had one
/// of them stored must not find such a key bound. The mark lies outside of the settings, so that a reset does not forget it
/// (P-26): who binds F5 after a reset keeps it.
public enum TriggerKeyMigration {
  /// Right Shift, keypad *, Caps Lock, F1, F3 and F5 here.
  public static let withdrawnCodes: Set<Int> = [54, 55, 58, 59, 61, 63]

  /// Rewrites what is stale, unless that was done before. Marks first, so that it never runs twice: where the mark cannot be
  /// written, nothing is rewritten and `mark` throws.
  ///
  /// - Returns: the code that was rewritten.
  @discardableResult
  public static func run(
    backing: any SettingsBacking, prefix: String = HostIdentity.current.defaultsPrefix, isMarked: () -> Bool,
    mark: () throws -> Void
  ) throws -> Int? {
    guard !isMarked() else { return nil }
    let settings = RawSettings(backing: backing, prefix: prefix)
    let stored = settings.number(.triggerKeyCode).flatMap { Int(exactly: $0) }
    try mark()
    guard let stored, withdrawnCodes.contains(stored) else { return nil }
    try settings.store(.number(Double(TriggerKey.default.code)), for: .triggerKeyCode)
    return stored
  }
}
