/// An object of a program on the accessibility bus.
struct AccessibleReference: Hashable {
  /// The program's name on the bus.
  let program: String
  let path: String
}
