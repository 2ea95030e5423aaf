/// Why the daemon does not do what was asked (Y-125): the `reason` of an answer, an error or a status.
///
/// The case name is the string on the wire. A receiver that does not know a reason reads it as `fault`.
package enum FailureReason: String, Sendable, Hashable, CaseIterable {
  // MARK: Not listening
  /// No API key and no other engine that could transcribe (Y-05).
  case apiKeyMissing
  /// No readable keyboard has the trigger key. Commands on the socket are not refused for it.
  case noKey
  /// There is no capture device.
  case noDevice
  /// The capture device went away.
  case deviceLost
  /// There is no display to paste into.
  case noDisplay
  /// The machine is going to sleep, or wakes up.
  case suspended
  /// Another session has the seat, or the screen is locked.
  case seatInactive
  /// The listening window has closed.
  case windowClosed
  /// The press was read after its deadline; its client has already given up (S-126).
  case expired
  /// The daemon is not ready yet.
  case starting
  /// The daemon is going away.
  case stopping
  /// Something else; the message says what.
  case fault

  // MARK: Refused requests
  /// The `cmd` is none that this daemon knows.
  case unknownCommand
  /// A field is missing or has the wrong type.
  case badRequest
  /// Too many commands of this connection have no answer yet.
  case tooManyCommands
  /// The file cannot be read, or is not what was expected.
  case badFile
  /// There is no setting of that name.
  case unknownSetting
  /// The setting does not take that value; the message says which it takes.
  case badValue
  /// The setting has another value by now than the client expected.
  case conflict
  /// The settings file cannot be written.
  case notWritable
  /// No kept recording has that id, or none is kept.
  case unknownRecording
  /// The service refused the key; the old one is still stored (T-103).
  case keyInvalid
  /// The service did not say; the key was not checked, and the old one is still stored (T-104).
  case keyUnreachable
  /// The key is right and could not be stored; the old one is still stored (T-102).
  case keyNotSaved
  /// There is no such engine, or it takes no key.
  case unknownEngine

  // MARK: Refused lines and connections; the daemon hangs up after them
  /// The line is longer than `SessionContract.longestRequestLine`.
  case lineTooLong
  /// The line is not a JSON object in UTF-8 with a usable `id`.
  case invalidLine
  /// The daemon has no room for another client.
  case tooManyClients

  // MARK: Never on the wire; what a client says itself
  /// Nobody listens on the socket, or nobody answers.
  case noDaemon

  /// The reason by its name on the wire; `fault` for one that only a newer daemon knows.
  package init(wire name: String) { self = Self(rawValue: name) ?? .fault }

  /// One sentence for people that says what to do next.
  package var text: String {
    switch self {
    case .apiKeyMissing:
      "No API key and no offline engine: blurtctl key set stores a key; or install the offline engine."
    case .noKey: "No readable keyboard has the trigger key: install the udev rule, or join the group input."
    case .noDevice: "There is no microphone: plug one in, or choose another one in the settings."
    case .deviceLost: "The microphone went away: plug it in again."
    case .noDisplay: "There is no display to paste into: start blurtd inside your graphical session."
    case .suspended: "The computer is going to sleep: try again when it is awake."
    case .seatInactive: "This session is locked or not on screen: unlock it and try again."
    case .windowClosed: "Blurt does not listen now: blurtctl settings set Listening on lets it listen again."
    case .expired: "The press came too late to be acted on: try again."
    case .starting: "Blurt is still starting: try again in a moment."
    case .stopping: "Blurt is stopping: start it again."
    case .fault: "Something went wrong: the journal has the details (journalctl --user -u blurtd)."
    case .unknownCommand: "This blurtd does not know the command: update it."
    case .badRequest: "The request lacks a field or has one of the wrong type: see protocol/README.md."
    case .tooManyCommands: "Too many commands wait for their answer: read the answers first."
    case .badFile: "The file cannot be used: give a readable WAV, FLAC or Ogg file."
    case .unknownSetting: "There is no such setting: blurtctl settings list shows them."
    case .badValue: "The setting does not take that value: blurtctl settings list shows what it takes."
    case .conflict: "The setting was changed meanwhile: read it again."
    case .notWritable: "The settings file cannot be written: look at its folder's permissions and free space."
    case .unknownRecording: "There is no such recording: blurtctl spool lists what is kept."
    case .keyInvalid: "The service does not accept this key: copy it again, without anything around it."
    case .keyUnreachable: "The service could not be reached, so the key was not checked: try again online."
    case .keyNotSaved: "The key could not be stored: look at the keyring and at the settings folder."
    case .unknownEngine: "There is no such engine: assemblyai, offline, openai and command are known."
    case .lineTooLong: "The line is longer than \(SessionContract.longestRequestLine) bytes: send shorter requests."
    case .invalidLine: "The line is not a JSON object with an id: see protocol/README.md."
    case .noDaemon: "Blurt is not running: blurtctl doctor says how to start it."
    case .tooManyClients: "Too many clients are connected: close some of them."
    }
  }
}
