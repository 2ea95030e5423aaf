/// The numbers of the reading of a field; each is in DESIGN.md's table.
package struct ContextLimits: Sendable {
  /// How long one call to a program may take (C-92).
  package var call: Duration = .seconds(1)
  /// How long a whole reading may take. A program that hangs costs one call and is then given up.
  package var reading: Duration = .seconds(2)
  /// How many readings may run at once: presses in quick succession while programs hang.
  package var readingsAtOnce = 4
  /// How many objects of a window are looked at where the program cannot find the focused one by itself.
  package var objects = 500
  /// How many parts of one object are looked at: lists and tables have thousands.
  package var partsOfAnObject = 100

  /// How many scalars are asked for, so that the characters of the rules are among them: emoji have up to ten.
  static let scalarsPerCharacter = 4

  package init() {}
}
