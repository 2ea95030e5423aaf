/// One argument of a call.
package enum BusArgument {
  case string(String)
  case unsigned(UInt32)
  case signed(Int32)
  case boolean(Bool)
  /// Elements of one type, which is given as its signature.
  case array(of: String, [BusArgument])
  /// Members, with the signature of all of them together.
  case structure(of: String, [BusArgument])
}
