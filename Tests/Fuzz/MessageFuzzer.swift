// The fuzz target of the control protocol: what bytes of a client, or of a daemon, can do to whoever reads them.
//
// Not a target of the package: scripts/check/fuzz.sh compiles it together with Sources/BlurtContract. Each input is cut
// into lines, and each line is read as JSON, as a command, as a line of the daemon and as a readiness record. Nothing may
// trap; and what was read must be written and read back as the same.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : count))
  // A cap that inputs reach easily, and the true one.
  checkFramer(input, longestLine: 16)
  for line in checkFramer(input, longestLine: SessionContract.longestRequestLine) { checkLine(line) }
  return 0
}

/// Stops with a sentence, so that the fuzzer keeps the input.
private func require(_ holds: Bool, _ sentence: String) {
  if !holds { fatalError(sentence) }
}

// MARK: Lines

/// Cuts the input in two ways and compares with what the bytes say themselves. Returns the lines.
@discardableResult
private func checkFramer(_ input: [UInt8], longestLine: Int) -> [[UInt8]] {
  var expected: [LineFramer.Item] = []
  var rest = input[...]
  while let newline = rest.firstIndex(of: 10), newline - rest.startIndex <= longestLine {
    expected.append(.line(Array(rest[..<newline])))
    rest = rest[(newline + 1)...]
  }
  // What is left has either no newline, or one too late.
  let isBroken = rest.firstIndex(of: 10).map { $0 - rest.startIndex > longestLine } ?? (rest.count > longestLine)
  if isBroken { expected.append(.tooLong) }

  // Pieces whose lengths follow from the input itself, and all at once.
  let seed = input.reduce(UInt64(input.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  for isWhole in [true, false] {
    var framer = LineFramer(longestLine: longestLine)
    var items: [LineFramer.Item] = []
    var position = 0
    var state = seed
    repeat {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let length = isWhole ? input.count : Int(state >> 58) + 1
      let end = min(position + length, input.count)
      framer.append(input[position..<end])
      while let item = framer.next() { items.append(item) }
      require(framer.heldByteCount <= longestLine, "more than a line is held")
      position = end
    } while position < input.count
    require(items == expected, "the lines depend on how the bytes were cut")
    require(framer.heldByteCount == (isBroken ? 0 : rest.count), "bytes were lost")
  }
  return expected.compactMap { if case .line(let line) = $0 { line } else { nil } }
}

// MARK: One line

private func checkLine(_ line: [UInt8]) {
  checkValue(line)
  checkCommand(line)
  checkMessage(line)
  checkRecord(line)
}

private func checkValue(_ line: [UInt8]) {
  guard let value = try? JSONReader.read(line) else { return }
  let written = value.line
  require(!written.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is written as it is")
  guard let again = try? JSONReader.read(written) else { fatalError("what was written cannot be read") }
  // Compared as bytes too: two spellings of one text are equal as strings.
  require(again == value && again.line == written, "a value is not read back as it was")
}

private func checkCommand(_ line: [UInt8]) {
  do throws(MalformedCommand) {
    let command = try MessageCoder.command(from: line)
    require(!command.id.isEmpty && command.id.utf8.count <= SessionContract.longestIdentifier, "an id without bounds")
    let written = MessageCoder.encode(command)
    do throws(MalformedCommand) {
      let again = try MessageCoder.command(from: Array(written.dropLast()))
      require(again == command && MessageCoder.encode(again) == written, "a command is not read back as it was")
    } catch {
      fatalError("what was written as a command is none")
    }
    checkRefusal(command.ack(.failed, reason: .badRequest))
  } catch {
    switch error {
    case .line(let error):
      require(error.reason == .invalidLine && !error.message.isEmpty, "a refused line without a reason")
      checkOwn(MessageCoder.encode(error))
    case .command(let id, let reason, let message):
      require(!id.isEmpty && id.utf8.count <= SessionContract.longestIdentifier, "an answer to an id without bounds")
      checkRefusal(CommandAck(id: id, result: .failed, reason: reason, message: message))
    }
  }
}

/// What the daemon says to a line must itself be a line, whatever stood in that line.
private func checkRefusal(_ ack: CommandAck) {
  let line = MessageCoder.encode(ack)
  checkOwn(line)
  guard case .ack(let again)? = try? MessageCoder.daemonMessage(from: Array(line.dropLast())) else {
    fatalError("an answer cannot be read")
  }
  require(again == ack, "an answer is not read back as it was")
}

private func checkOwn(_ line: [UInt8]) {
  require(line.last == 10 && line.dropLast().allSatisfy { $0 >= 0x20 }, "an answer is not one line")
}

private func checkMessage(_ line: [UInt8]) {
  guard let message = try? MessageCoder.daemonMessage(from: line), let written = encode(message) else { return }
  checkOwn(written)
  guard let again = try? MessageCoder.daemonMessage(from: Array(written.dropLast())), let second = encode(again) else {
    fatalError("what was written as a line of the daemon cannot be read")
  }
  require(second == written, "a line of the daemon changes each time it is written")
  // A level is written between 0 and 1, whatever the meter said.
  if case .event(.level) = message { return }
  require(again == message, "a line of the daemon is not read back as it was")
}

private func encode(_ message: DaemonMessage) -> [UInt8]? {
  switch message {
  case .ack(let ack): MessageCoder.encode(ack)
  case .event(let event): MessageCoder.encode(event)
  case .error(let error): MessageCoder.encode(error)
  case .unknown: nil
  }
}

private func checkRecord(_ line: [UInt8]) {
  guard let record = ReadinessRecord(line: line) else { return }
  for time in [Duration.zero, .seconds(1), .seconds(Int64(Int32.max))] {
    for isHeld in [true, false] { _ = record.isListening(at: time, lockIsHeld: isHeld) }
  }
  require(ReadinessRecord(line: record.line) == record, "a readiness record is not read back as it was")
}
