/// Whether the focused field can be read, for people.
package enum ContextAvailability: Sendable, Hashable {
  /// libsystemd, which speaks to the bus; the loader's words.
  case noLibrary(String)
  /// No accessibility bus, with the reason.
  case noBus(String)
  /// How many programs are on it, and whether the desktop says that accessibility is in use; nil where it does not say.
  case ready(programCount: Int, isEnabled: Bool?)
}
