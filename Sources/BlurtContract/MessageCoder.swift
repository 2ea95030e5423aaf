/// The one encoder and decoder of the wire (S-146…S-150). Every line is one JSON object with sorted keys.
package enum MessageCoder {
  /// A line that a client could not read.
  package struct Unreadable: Error, Hashable, Sendable {
    package let detail: String
  }

  // MARK: To lines, each with its newline

  package static func encode(_ command: ClientCommand) -> [UInt8] { line(command.json) }
  package static func encode(_ ack: CommandAck) -> [UInt8] { ack.line }
  package static func encode(_ event: SessionEvent) -> [UInt8] { line(event.json) }
  package static func encode(_ error: WireError) -> [UInt8] { line(error.json) }
  /// A line that is not part of the wire but printed in its form (`blurtctl --json`).
  package static func encode(_ value: JSONValue) -> [UInt8] { line(value) }

  private static func line(_ value: JSONValue) -> [UInt8] { value.line + [UInt8(ascii: "\n")] }

  // MARK: From lines, without their newline

  /// Reads a request, on the daemon's side.
  package static func command(from line: [UInt8]) throws(MalformedCommand) -> ClientCommand {
    let json: JSONValue
    do {
      json = try JSONReader.read(line)
    } catch {
      throw .line(WireError(.invalidLine, "The line cannot be read: \(error.detail)."))
    }
    return try ClientCommand(json: json)
  }

  /// Reads an answer or an event, on the client's side. What the client does not know is skipped, field or event.
  package static func daemonMessage(from line: [UInt8]) throws(Unreadable) -> DaemonMessage {
    do {
      return try message(try JSONReader.read(line))
    } catch let error as JSONError {
      throw Unreadable(detail: error.detail)
    } catch let error as WireObject.WrongType {
      throw Unreadable(detail: "the field \"\(error.field)\" is not \(error.expected)")
    } catch {
      throw Unreadable(detail: "\(error)")
    }
  }

  private static func message(_ json: JSONValue) throws -> DaemonMessage {
    guard case .object(let members) = json else { throw Unreadable(detail: "it is not an object") }
    let fields = WireObject(members)
    if let ack = try fields.object("ack") { return .ack(try CommandAck(fields: ack)) }
    if let error = try fields.object("error") { return .error(try WireError(fields: error)) }
    if let name = try fields.string("event"), let event = try SessionEvent(name: name, fields: fields) {
      return .event(event)
    }
    return .unknown
  }
}
