internal import BlurtContract

/// Every event as a sentence for people, or as the line it came in for programs.
struct LineDisplay: WatchDisplay {
  let output: Output

  func show(_ event: SessionEvent, line: [UInt8], at now: Duration) {
    output.answer(PhaseText.sentence(event), line: line)
  }

  /// JSON is passed on as it came: the reader may know more than this program.
  func showUnknown(line: [UInt8]) { output.answer("Something that only a newer blurtctl knows.", line: line) }
}
