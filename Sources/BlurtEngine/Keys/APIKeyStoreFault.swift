/// Why a key was not saved. The sentence says what to do and never holds the key.
public struct APIKeyStoreFault: Error, Sendable, Hashable, CustomStringConvertible {
  public let message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
