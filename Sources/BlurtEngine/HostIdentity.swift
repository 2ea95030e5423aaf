/// The names under which one host keeps what is its own (P-54…P-60), so that two builds of a product do not meet.
///
/// Process-wide: a host configures it once, first thing, before it makes any type of the engine. Types read it when they
/// are made and keep what they saw.
public struct HostIdentity: Sendable, Hashable {
  /// P-54: in the `User-Agent` header and on the idle overlay.
  public var productName: String
  /// P-55: the name of the host in the system's log.
  public var subsystem: String
  /// P-56: the name under which the API key is stored.
  public var keychainService: String
  /// P-57: the beginning of every settings key. A contract with installed users (P-01).
  public var defaultsPrefix: String
  /// P-58: the folder of the developer logs.
  public var logDirectoryName: String

  /// Every field has the default of P-54…P-58.
  public init(
    productName: String = "Blurt", subsystem: String = "dev.alex.blurt", keychainService: String = "blurt",
    defaultsPrefix: String = "Blurt", logDirectoryName: String = "Blurt"
  ) {
    self.productName = productName
    self.subsystem = subsystem
    self.keychainService = keychainService
    self.defaultsPrefix = defaultsPrefix
    self.logDirectoryName = logDirectoryName
  }

  /// What applies where nothing was configured.
  public static let blurt = HostIdentity()
  /// A second build beside `blurt`: it must not be able to delete the other's key (P-59).
  public static let blurtDev = HostIdentity(keychainService: "blurt-dev")

  private static let process = IdentityHolder()

  /// The identity of this process.
  public static var current: HostIdentity { process.current }

  /// Whether some type has read the identity already, so that configuring it now would come too late for that one.
  public static var isResolved: Bool { process.isResolved }

  /// Sets the identity of this process. Only the first call counts; later ones change nothing and return false.
  @discardableResult
  public static func configure(_ identity: HostIdentity) -> Bool { process.configure(identity) }
}
