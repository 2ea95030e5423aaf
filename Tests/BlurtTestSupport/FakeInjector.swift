public import BlurtEngine
internal import Synchronization

/// An injector that writes down what it was to paste.
public final class FakeInjector: InjectorProtocol {
  public struct Script: Sendable {
    /// Where `insert` waits before the last gate.
    public var gate: Gate?
    /// Thrown instead of pasting, after the gate.
    public var error: (any Error)?
    /// An insert that is past its last gate: it completes, whatever is cancelled.
    public var ignoresCancellation = false

    public init() {}
  }

  public struct Insert: Sendable, Hashable {
    public let text: String
    public let priorText: String?
    public let windowTitle: String?
    /// The target as it was when the insert began.
    public let target: CapturedFocus?

    public init(text: String, priorText: String?, windowTitle: String?, target: CapturedFocus?) {
      self.text = text
      self.priorText = priorText
      self.windowTitle = windowTitle
      self.target = target
    }
  }

  private struct State {
    var script = Script()
    var target: CapturedFocus?
    var inserts: [Insert] = []
  }

  private let state = Mutex(State())
  private let log: EventLog

  public init(log: EventLog = EventLog()) { self.log = log }

  /// Changes what the next calls do.
  public func script(_ change: @Sendable (inout Script) -> Void) { state.withLock { change(&$0.script) } }

  /// What was pasted. An insert that threw is not in it.
  public var inserts: [Insert] { state.withLock { $0.inserts } }
  public var target: CapturedFocus? { state.withLock { $0.target } }

  public func setTarget(_ focus: CapturedFocus?) {
    state.withLock { $0.target = focus }
    log.append("injector.target \(focus?.name ?? "none")")
  }

  public func expectInsert(_ isExpected: Bool) { log.append("injector.\(isExpected ? "expect" : "relax")") }

  public func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws {
    let (script, target) = state.withLock { ($0.script, $0.target) }
    log.append("insert")
    defer { log.append("insert.done") }
    if script.ignoresCancellation {
      await script.gate?.pass()
    } else {
      try await withTaskCancellationHandler {
        try await script.gate?.passOrCancel()
      } onCancel: {
        log.append("insert.cancelled")
      }
      try Task.checkCancellation()
    }
    if let error = script.error { throw error }
    state.withLock {
      $0.inserts.append(Insert(text: text, priorText: priorText, windowTitle: windowTitle, target: target))
    }
  }
}
