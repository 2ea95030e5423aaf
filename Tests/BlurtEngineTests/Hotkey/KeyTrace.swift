import BlurtEngine
import Testing

/// A key trace: raw events above, what became of each below, divided by a line `--`.
///
/// Above: `# H-22 title`; `bind CODE [MODE]` (default: 97 TapOrHold); `MS down|up|key CODE`, `MS pointer`, `MS other`;
/// `reset`; `rebind CODE [MODE]`; `MS recover [CODE…]`, the keys that are down after events were lost; `MS gone CODE`,
/// the last device that held the key; `state`. Below: one word for each of these except `bind`.
struct KeyTrace: Sendable, CustomTestStringConvertible {
  enum Step: Sendable {
    case event(DictationKeyRouter.Event, Duration)
    case reset
    case rebind(TriggerKeyActivation)
    case recover(Set<Int>, Duration)
    case gone(Int)
    case state
  }

  struct Malformed: Error {
    let line: String
  }

  let title: String
  let activations: [TriggerKeyActivation]
  let steps: [Step]
  let expected: [String]

  var testDescription: String { title }

  init(parsing text: String) throws {
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard let first = lines.first, first.hasPrefix("# "), let divider = lines.firstIndex(of: "--") else {
      throw Malformed(line: lines.first ?? "")
    }
    title = String(first.dropFirst(2))
    var activations: [TriggerKeyActivation] = []
    var steps: [Step] = []
    for line in lines[1..<divider] {
      let words = line.split(separator: " ").map(String.init)
      if words.first == "bind" {
        activations.append(try Self.activation(words.dropFirst(), line))
      } else {
        steps.append(try Self.step(words, line))
      }
    }
    self.activations = activations.isEmpty ? [TriggerKeyActivation(.rightControl)] : activations
    self.steps = steps
    expected = Array(lines[(divider + 1)...])
  }

  /// Runs the trace; one word for each step.
  func run() -> [String] {
    var router = DictationKeyRouter(activations: activations)
    return steps.map { step in
      switch step {
      case .event(let event, let time): "\(router.handle(event, at: time))"
      case .reset: router.reset() ? "ended" : "kept"
      case .rebind(let activation): router.rebind([activation]) ? "ended" : "kept"
      case .recover(let keys, let time): "\(router.recover(keysDown: keys, at: time))"
      case .gone(let code): "\(router.keyLost(code))"
      case .state: Self.describe(router)
      }
    }
  }

  private static func describe(_ router: DictationKeyRouter) -> String {
    guard let code = router.activeKeyCode else { return router.isIdle ? "idle" : "idle without being idle" }
    return (router.isLatched ? "latched" : "armed") + " \(code)"
  }

  private static func step(_ words: [String], _ line: String) throws -> Step {
    if words == ["reset"] { return .reset }
    if words == ["state"] { return .state }
    if words.first == "rebind" { return .rebind(try activation(words.dropFirst(), line)) }
    guard words.count >= 2, let milliseconds = Int(words[0]) else { throw Malformed(line: line) }
    let time = Duration.milliseconds(milliseconds)
    let codes = words.dropFirst(2).compactMap { Int($0) }
    guard codes.count == words.count - 2 else { throw Malformed(line: line) }
    switch (words[1], codes.count) {
    case ("down", 1): return .event(.flagsChanged(keyCode: codes[0], isOn: true), time)
    case ("up", 1): return .event(.flagsChanged(keyCode: codes[0], isOn: false), time)
    case ("key", 1): return .event(.keyDown(keyCode: codes[0]), time)
    case ("pointer", 0): return .event(.pointerDown, time)
    case ("other", 0): return .event(.otherKeyDown, time)
    case ("recover", _): return .recover(Set(codes), time)
    case ("gone", 1): return .gone(codes[0])
    default: throw Malformed(line: line)
    }
  }

  private static func activation(_ words: ArraySlice<String>, _ line: String) throws -> TriggerKeyActivation {
    guard let code = words.first.flatMap({ Int($0) }), words.count <= 2 else { throw Malformed(line: line) }
    guard let mode = words.dropFirst().first else { return TriggerKeyActivation(keyCode: code) }
    guard let mode = ActivationMode(rawValue: mode) else { throw Malformed(line: line) }
    return TriggerKeyActivation(keyCode: code, mode: mode)
  }
}
