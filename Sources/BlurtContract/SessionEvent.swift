/// What the daemon tells a watcher without being asked (S-149, S-150).
package enum SessionEvent: Hashable, Sendable {
  case phase(PhaseEvent)
  case level(LevelEvent)
  case delivery(DeliveryEvent)
  case notice(NoticeEvent)
  case listening(ListeningEvent)
  case settings(SettingsEvent)

  /// The events by their name on the wire, `event`.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case phase, level, delivery, notice, listening, settings
  }

  package var name: Name {
    switch self {
    case .phase: .phase
    case .level: .level
    case .delivery: .delivery
    case .notice: .notice
    case .listening: .listening
    case .settings: .settings
    }
  }

  /// The event as a watcher sees it who did not ask for results: without any text that was spoken.
  package var withoutText: SessionEvent {
    guard case .delivery(var delivery) = self else { return self }
    delivery.text = nil
    return .delivery(delivery)
  }

  var json: JSONValue {
    var members =
      switch self {
      case .phase(let event): event.members
      case .level(let event): event.members
      case .delivery(let event): event.members
      case .notice(let event): event.members
      case .listening(let event): event.members
      case .settings(let event): event.members
      }
    members["event"] = .string(name.rawValue)
    return .object(members)
  }

  /// Reads an event; nil for one that only a newer daemon knows.
  init?(name: String, fields: WireObject) throws {
    switch Name(rawValue: name) {
    case .phase?:
      guard let event = try PhaseEvent(fields: fields) else { return nil }
      self = .phase(event)
    case .level?: self = .level(try LevelEvent(fields: fields))
    case .delivery?: self = .delivery(try DeliveryEvent(fields: fields))
    case .notice?: self = .notice(try NoticeEvent(fields: fields))
    case .listening?:
      guard let event = try ListeningEvent(fields: fields) else { return nil }
      self = .listening(event)
    case .settings?: self = .settings(try SettingsEvent(fields: fields))
    case nil: return nil
    }
  }
}
