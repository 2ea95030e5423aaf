package import BlurtContract
package import BlurtEngine

extension HostIdentity {
  /// The engine's names for an installation (P-60). Settings keys and the product's name are the same in all of them.
  package init(_ product: ProductIdentity) {
    self.init(
      subsystem: product.journalIdentifier, keychainService: product.folderName, logDirectoryName: product.folderName)
  }
}
