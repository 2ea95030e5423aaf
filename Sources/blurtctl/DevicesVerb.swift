internal import BlurtContract
internal import BlurtIPC

/// `devices list` and `devices use`: the microphones.
struct DevicesVerb {
  static let setting = "BlurtMicDeviceUID"
  /// libasound and a sound server may be slow to list what they have.
  private static let patience: Duration = .seconds(5)

  private let conversation: Conversation
  private let output: Output

  init(_ conversation: Conversation, _ output: Output) {
    self.conversation = conversation
    self.output = output
  }

  func list(namesOnly: Bool) throws(VerbError) -> ExitStatus {
    let (devices, line) = try devices()
    if namesOnly {
      output.text(devices.map(\.device).joined(separator: "\n"), line: line)
    } else {
      output.answer(Self.text(devices, width: output.width), line: line)
    }
    return .done
  }

  /// By the name, or by a label that only one device has.
  func use(_ word: String) throws(VerbError) -> ExitStatus {
    let devices = try devices().0
    let wanted = word.lowercased()
    let labelled = devices.filter { $0.label.lowercased() == wanted }
    guard let device = devices.first(where: { $0.device == word }) ?? (labelled.count == 1 ? labelled[0] : nil) else {
      let hint = Nearest.hint(to: word, in: devices.map(\.device))
      throw .found(
        labelled.isEmpty
          ? "There is no device \"\(word)\"." + (hint.isEmpty ? " See: blurtctl devices list" : hint)
          : "Several devices are called \"\(word)\": give the name. See: blurtctl devices list",
        .badValue, .nothingToActOn)
    }
    let answer = try conversation.answerPatiently(
      .set(setting: Self.setting, value: .string(device.device), expected: nil))
    output.answer("\(device.label) is used from the next dictation on.", line: answer.line)
    return .done
  }

  private func devices() throws(VerbError) -> ([DeviceEntry], [UInt8]) {
    let answer = try conversation.ask(.devices, within: Self.patience)
    guard answer.ack.result == .done, let devices = answer.ack.devices else {
      throw .refused(answer.ack, line: answer.line, .devices)
    }
    return (devices, answer.line)
  }

  /// A line for each device, and under it how `use` and the setting call it: names are too long for a column.
  static func text(_ devices: [DeviceEntry], width: Int) -> String {
    var table = TextTable()
    for device in devices {
      let remarks = [
        device.transport == "unknown" ? nil : words(device.transport), device.isDefault ? "default" : nil,
        device.isMonitor ? "monitor, hears what is played" : nil,
      ]
      table.add(
        [device.label, remarks.compactMap { $0 }.joined(separator: ", ")], mark: device.isChosen ? "* " : "  ")
    }
    let rows = zip(devices, table.lines(width: width)).map { device, line in
      line + "\n" + TerminalText.hanging("    ", device.device, width: width)
    }
    return (rows + ["The star marks the chosen one. Choose: blurtctl devices use NAME"]).joined(separator: "\n")
  }

  private static func words(_ transport: String) -> String {
    switch transport {
    case "usb": "USB"
    case "builtIn": "built-in"
    case "pci": "built-in (PCI)"
    case "bluetooth", "bluetoothLE": "Bluetooth"
    default: transport
    }
  }
}
