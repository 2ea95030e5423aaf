/// One argument of a call.
enum BusArgument {
  case string(String)
  case unsigned(UInt32)
}
