extension ClientCommand {
  var json: JSONValue {
    var members: JSONObject = ["id": .string(id), "cmd": .string(action.name.rawValue)]
    members.set("client", client)
    members.set("deadlineMs", deadline.map(\.wholeMilliseconds))
    switch action {
    case .press(let key, let lease, let context):
      members.set("key", key)
      if lease != .none { members["lease"] = true }
      if case .heartbeat(let limit) = lease { members.set("leaseMs", limit.wholeMilliseconds) }
      members.set("context", context?.json)
    case .watch(let options):
      members.set("levels", options.levels)
      members.set("results", options.results)
    case .wait(let target):
      members.set("dictation", target.dictation)
      members.set("recording", target.recording)
    case .presence(let onScreen): members.set("onScreen", onScreen)
    case .recent(let count): members.set("count", count)
    case .transcribe(let path, let engine):
      members.set("path", path)
      members.set("engine", engine)
    case .apiKey(let engine, let check):
      members.set("engine", engine)
      if check { members["check"] = true }
    case .setApiKey(let key, let engine):
      members.set("key", key.revealed)
      members.set("engine", engine)
    case .clearApiKey(let engine): members.set("engine", engine)
    case .retry(let recording, let engine):
      members.set("recording", recording)
      members.set("engine", engine)
    case .discard(let recording):
      members.set("recording", recording)
      if recording == nil { members["all"] = true }
    case .settings(let setting): members.set("setting", setting)
    case .set(let setting, let value, let expected):
      members.set("setting", setting)
      members["value"] = value
      members["expected"] = expected
    case .unset(let setting, let expected):
      members.set("setting", setting)
      members["expected"] = expected
    case .keys(let key): members.set("key", key)
    case .setKey(let change):
      members.set("key", change.key)
      members.set("choice", change.choice)
      members.set("style", change.style)
      members.set("activation", change.activation)
      if change.isBound { members["bound"] = true }
      if change.isOnly { members["only"] = true }
    case .edit(let change):
      members.set("setting", change.setting)
      members["put"] = change.put
      if !change.remove.isEmpty { members.set("remove", change.remove) }
      members["expected"] = change.expected
    case .doctor(let record): if record { members["record"] = true }
    case .playSound(let pack, let cue):
      members.set("pack", pack)
      members.set("cue", cue)
    case .release, .cancel, .cancelRecording, .toggle, .status, .last, .spool, .reset, .devices, .sounds: break
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
        key: try fields.count("key").map { Int(truncatingIfNeeded: $0) }, lease: try Self.lease(fields, of: id),
        context: try fields.object("context").map { try PressContext($0) })
    case .release: action = .release
    case .cancel: action = .cancel
    case .cancelRecording: action = .cancelRecording
    case .toggle: action = .toggle
    case .watch:
      action = .watch(
        WatchOptions(levels: try fields.bool("levels") ?? false, results: try fields.bool("results") ?? false))
    case .wait: action = .wait(try Self.waitTarget(fields, of: id))
    case .presence: action = .presence(onScreen: try fields.bool("onScreen") ?? true)
    case .status: action = .status
    case .last: action = .last
    case .recent: action = .recent(count: try fields.count("count").map { Int(clamping: $0) })
    case .spool: action = .spool
    case .retry:
      action = .retry(recording: try fields.string("recording"), engine: try fields.string("engine"))
    case .discard:
      let recording = try fields.string("recording")
      guard (recording != nil) != (try fields.bool("all") ?? false) else {
        throw Self.bad(id, "Name the \"recording\" to remove, or give \"all\" as true.")
      }
      action = .discard(recording: recording)
    case .settings: action = .settings(setting: try fields.string("setting"))
    case .set:
      guard let value = fields.members["value"], value != .null else {
        throw Self.bad(id, "The field \"value\" is missing. To go back to the default, send \"unset\".")
      }
      action = .set(
        setting: try Self.setting(fields, of: id), value: value, expected: fields.members["expected"])
    case .unset:
      action = .unset(setting: try Self.setting(fields, of: id), expected: fields.members["expected"])
    case .edit: action = .edit(try Self.entryChange(fields, of: id))
    case .reset: action = .reset
    case .keys: action = .keys(key: try fields.string("key"))
    case .setKey:
      action = .setKey(
        KeyChange(
          key: try fields.string("key"), choice: try fields.string("choice"), style: try fields.string("style"),
          activation: try fields.string("activation"), isBound: try fields.bool("bound") ?? false,
          isOnly: try fields.bool("only") ?? false))
    case .devices: action = .devices
    case .sounds: action = .sounds
    case .playSound:
      let cue = try fields.string("cue")
      guard cue == nil || cue == "start" || cue == "stop" else {
        throw Self.bad(id, "The field \"cue\" must be \"start\" or \"stop\".")
      }
      action = .playSound(pack: try fields.string("pack"), cue: cue)
    case .apiKey:
      action = .apiKey(engine: try fields.string("engine"), check: try fields.bool("check") ?? false)
    case .setApiKey:
      guard let key = try fields.string("key") else {
        throw Self.bad(id, "The field \"key\" is missing. To remove the key, send \"clearApiKey\".")
      }
      action = .setApiKey(key: WireSecret(key), engine: try fields.string("engine"))
    case .clearApiKey: action = .clearApiKey(engine: try fields.string("engine"))
    case .doctor: action = .doctor(record: try fields.bool("record") ?? false)
    case .transcribe:
      guard let path = try fields.string("path"), path.hasPrefix("/") else {
        throw MalformedCommand.command(
          id: id, reason: .badRequest, message: "The field \"path\" must be the absolute path of a WAV file.")
      }
      action = .transcribe(path: path, engine: try fields.string("engine"))
    }
    self.init(
      id: id, action, client: try fields.string("client"),
      deadline: try fields.integer("deadlineMs").map { .milliseconds($0) })
  }

  private static func bad(_ id: String, _ message: String) -> MalformedCommand {
    .command(id: id, reason: .badRequest, message: message)
  }

  private static func lease(_ fields: WireObject, of id: String) throws -> Lease {
    guard let milliseconds = try fields.count("leaseMs") else {
      return try fields.bool("lease") ?? false ? .connection : .none
    }
    let limit = Duration.milliseconds(Int64(clamping: milliseconds))
    guard SessionContract.leaseHeartbeat.contains(limit) else {
      throw bad(id, "The field \"leaseMs\" must be between 500 and 10000.")
    }
    return .heartbeat(limit)
  }

  private static func waitTarget(_ fields: WireObject, of id: String) throws -> WaitTarget {
    switch (try fields.count("dictation"), try fields.string("recording")) {
    case (nil, nil): return .newest
    case (let dictation?, nil): return .dictation(dictation)
    case (nil, let recording?): return .recording(recording)
    case (_?, _?): throw bad(id, "Give either \"dictation\" or \"recording\".")
    }
  }

  private static func entryChange(_ fields: WireObject, of id: String) throws -> EntryChange {
    let change = EntryChange(
      setting: try setting(fields, of: id), put: try fields.collection("put"),
      remove: try fields.strings("remove") ?? [],
      expected: try fields.collection("expected"))
    guard change.put != nil || !change.remove.isEmpty else {
      throw bad(id, "Give entries to \"put\", or names of entries to \"remove\".")
    }
    return change
  }

  private static func setting(_ fields: WireObject, of id: String) throws -> String {
    guard let name = try fields.string("setting"), !name.isEmpty else {
      throw bad(id, "The field \"setting\" must name the setting.")
    }
    return name
  }
}
