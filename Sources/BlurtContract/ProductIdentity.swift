/// Which of one user's installations a program belongs to: the names that the daemon and its clients must agree on (P-60).
///
/// Without a name it is the ordinary one. A second one, `BLURT_IDENTITY=dev`, has folders, a socket, a stored key and a
/// journal identifier of its own, so that its daemon runs beside the ordinary one.
package struct ProductIdentity: Hashable, Sendable {
  /// A name that cannot be used.
  package struct InvalidName: Error, Hashable, Sendable, CustomStringConvertible {
    package let name: String

    package var description: String {
      "\(ProductIdentity.variable) is \(String(name.prefix(64)).debugDescription): use 1 to "
        + "\(ProductIdentity.longestName) of the characters a-z, 0-9 and -, such as dev, or unset it."
    }
  }

  /// The environment variable that both programs read.
  package static let variable = "BLURT_IDENTITY"
  /// Characters of a name. Folder names and the socket's path stay short.
  package static let longestName = 16
  /// The one without a name.
  package static let ordinary = ProductIdentity(suffix: "")

  /// What is appended to every name, `-dev`; empty for the ordinary one.
  private let suffix: String

  private init(suffix: String) { self.suffix = suffix }

  /// `name` is what the variable holds; nil and empty mean the ordinary identity.
  package init(name: String?) throws(InvalidName) {
    guard let name, !name.isEmpty else {
      self = .ordinary
      return
    }
    guard name.utf8.count <= Self.longestName, name.utf8.allSatisfy(Self.isAllowed) else {
      throw InvalidName(name: name)
    }
    suffix = "-" + name
  }

  package init(environment: (String) -> String?) throws(InvalidName) {
    try self.init(name: environment(Self.variable))
  }

  /// The folder in each of the user's base folders, and the Secret Service's attribute `service`: `blurt`, `blurt-dev`.
  package var folderName: String { "blurt" + suffix }

  /// The name of the daemon's lines in the journal: `blurtd`, `blurtd-dev`.
  package var journalIdentifier: String { "blurtd" + suffix }

  /// The control socket in the user's runtime folder.
  package var socketName: String { folderName + "/blurtd.sock" }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
