/// What is known of the program behind a window, beyond the names of the window.
public struct ProgramTraits: Sendable, Hashable {
  /// C-65: it is made of Electron.
  public var isElectron: Bool
  /// It shows at least one pseudo-terminal.
  public var hasTerminals: Bool
  /// The name of the program that has the keys of its terminal, where it shows exactly one.
  public var foregroundProgram: String?

  public init(isElectron: Bool = false, hasTerminals: Bool = false, foregroundProgram: String? = nil) {
    self.isElectron = isElectron
    self.hasTerminals = hasTerminals
    self.foregroundProgram = foregroundProgram
  }
}
