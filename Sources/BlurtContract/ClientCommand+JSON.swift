extension ClientCommand {
  var json: JSONValue {
    var members: JSONObject = ["id": .string(id), "cmd": .string(action.name.rawValue)]
    members.set("client", client)
    members.set("deadlineMs", deadline.map { Int64($0 / .milliseconds(1)) })
    switch action {
    case .press(let key, let lease):
      members.set("key", key)
      if lease { members["lease"] = true }
    case .watch(let options):
      members.set("levels", options.levels)
      members.set("results", options.results)
    case .transcribe(let path): members.set("path", path)
    case .release, .cancel, .cancelRecording, .toggle, .status, .last: break
    }
    return .object(members)
  }

  init(json: JSONValue) throws(MalformedCommand) {
    guard case .object(let members) = json else {
      throw .line(WireError(.invalidLine, "The line is JSON, but not an object."))
    }
    guard let id = members["id"]?.string, !id.isEmpty, id.utf8.count <= SessionContract.longestIdentifier else {
      throw .line(
        WireError(
          .invalidLine,
          "The request has no id that can be answered: give a string of 1 to "
            + "\(SessionContract.longestIdentifier) bytes."))
    }
    do {
      try self.init(id: id, fields: WireObject(members))
    } catch let error as MalformedCommand {
      throw error
    } catch let error as WireObject.WrongType {
      throw .command(id: id, reason: .badRequest, message: "The field \"\(error.field)\" must be \(error.expected).")
    } catch {
      throw .command(id: id, reason: .badRequest, message: FailureReason.badRequest.text)
    }
  }

  private init(id: String, fields: WireObject) throws {
    guard let verb = try fields.string("cmd") else {
      throw MalformedCommand.command(
        id: id, reason: .badRequest, message: "The request has no \"cmd\": name the command.")
    }
    guard let name = Name(rawValue: verb) else {
      throw MalformedCommand.command(id: id, reason: .unknownCommand, message: FailureReason.unknownCommand.text)
    }
    let action: Action
    switch name {
    case .press:
      action = .press(
        key: try fields.count("key").map { Int(truncatingIfNeeded: $0) }, lease: try fields.bool("lease") ?? false)
    case .release: action = .release
    case .cancel: action = .cancel
    case .cancelRecording: action = .cancelRecording
    case .toggle: action = .toggle
    case .watch:
      action = .watch(
        WatchOptions(levels: try fields.bool("levels") ?? false, results: try fields.bool("results") ?? false))
    case .status: action = .status
    case .last: action = .last
    case .transcribe:
      guard let path = try fields.string("path"), path.hasPrefix("/") else {
        throw MalformedCommand.command(
          id: id, reason: .badRequest, message: "The field \"path\" must be the absolute path of a WAV file.")
      }
      action = .transcribe(path: path)
    }
    self.init(
      id: id, action, client: try fields.string("client"),
      deadline: try fields.integer("deadlineMs").map { .milliseconds($0) })
  }
}
