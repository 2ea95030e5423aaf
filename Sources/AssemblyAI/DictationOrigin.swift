/// Where the dictation service lives (T-10).
public enum DictationOrigin {
  /// Used when nothing else is set.
  public static let production = "https://dictation.assemblyai.com"
  /// The data zone of the United States.
  public static let unitedStates = "https://dictation.us.assemblyai.com"
  /// The data zone of the European Union.
  public static let europe = "https://dictation.eu.assemblyai.com"

  /// The address without white space and trailing slashes; a blank one means production.
  public static func normalized(_ base: String) -> String {
    var base = base.trimmedOfWhitespace()
    while base.hasSuffix("/") { base.removeLast() }
    return base.isEmpty ? production : base
  }
}
