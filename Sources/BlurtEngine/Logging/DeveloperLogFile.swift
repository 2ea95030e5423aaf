/// The files of developer mode (S-98).
public enum DeveloperLogFile: String, Sendable, Hashable, CaseIterable {
  case dictations
  case errors

  /// The file's name, the only thing that other logs may say of it (S-103).
  public var name: String { rawValue + ".jsonl" }
}
