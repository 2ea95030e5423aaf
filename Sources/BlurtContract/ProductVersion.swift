/// The one source of the product's version (Y-111).
package enum ProductVersion {
  package static let current = "0.1.0"
}
