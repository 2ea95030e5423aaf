/// A JSON value, as it travels on the socket.
///
/// Own type and own reader instead of Foundation's: the wire needs a strict reader (no trailing comma, no repeated key,
/// no byte-order mark, UTF-8 only), one line with sorted keys, and an answer within microseconds of a bare echo.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Finite; a number with a fraction, an exponent, or too large for `integer`.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The string, if this is one.
  package var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The members, if this is an object.
  package var object: JSONObject? {
    if case .object(let members) = self { return members }
    return nil
  }

  /// The value as one line without its newline: keys sorted, no white space.
  package var line: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
}
