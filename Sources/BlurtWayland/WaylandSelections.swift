internal import BlurtOS

/// Which selections hold something, by the compositor's own word.
///
/// wl-paste waits until it is told of a selection, and KWin tells nothing of one that is empty: it would wait for ever, and
/// says of an empty PRIMARY that there is no such thing.
enum WaylandSelections {
  /// Nil where the compositor has no data-control or does not answer in time. Blocks for at most `limit`.
  static func held(at path: String, within limit: Duration) -> Set<WaylandClipboard.Selection>? {
    do throws(Errno) {
      var connection = try WaylandConnection(path: path, within: limit)
      guard let globals = try connection.globals(),
        let seat = globals.first(where: { $0.interface == WaylandGlobals.seat }),
        let manager = WaylandGlobals.dataControls.lazy.compactMap({ name in globals.first { $0.interface == name } })
          .first
      else { return nil }
      let ids = Array(WaylandConnection.firstFreeID..<WaylandConnection.firstFreeID + 4)
      // Of the older protocol PRIMARY is part from the second version on.
      let version = min(manager.version, manager.interface == WaylandGlobals.dataControls[0] ? 1 : 2)
      let requests =
        WaylandConnection.bind(seat, version: 1, to: ids[0])
        + WaylandConnection.bind(manager, version: version, to: ids[1])
        // get_data_device
        + WaylandMessage.request(ids[1], 1, WaylandMessage.word(ids[2]) + WaylandMessage.word(ids[0]))
      return try connection.ask(requests, callback: ids[3]).flatMap { held($0, device: ids[2]) }
    } catch {
      return nil
    }
  }

  /// What a new data-control device was told. The protocol has it told of each selection at once, and an empty one is either
  /// told as no offer, or not at all. Nil where the compositor refused.
  static func held(_ messages: [WaylandMessage], device: UInt32) -> Set<WaylandClipboard.Selection>? {
    var held: Set<WaylandClipboard.Selection> = []
    for message in messages {
      // wl_display.error
      if message.object == WaylandConnection.displayID, message.opcode == 0 { return nil }
      guard message.object == device else { continue }
      let selection: WaylandClipboard.Selection
      switch message.opcode {
      case 1: selection = .clipboard
      case 2: return nil  // finished
      case 3: selection = .primary
      default: continue
      }
      if message.word(0) ?? 0 != 0 { held.insert(selection) } else { held.remove(selection) }
    }
    return held
  }
}
