public import BlurtEngine
internal import Synchronization

/// A desktop with one focused field.
public final class FakeFocus: Sendable {
  public struct Script: Sendable {
    public var target: CapturedFocus? = CapturedFocus(processID: 42, name: "Editor", windowID: 7, windowClass: "Editor")
    public var field: FocusedFieldContext? = FocusedFieldContext(
      windowTitle: "Letter", fieldLabel: "Body", priorText: "Dear Ada,")
    /// Where the question for the target waits.
    public var targetGate: Gate?
    /// Where the question for the field waits.
    public var fieldGate: Gate?

    public init() {}
  }

  private let state = Mutex(Script())
  private let log: EventLog

  public init(log: EventLog = EventLog()) { self.log = log }

  /// Changes what the next questions are answered.
  public func script(_ change: @Sendable (inout Script) -> Void) { state.withLock { change(&$0) } }

  public var capture: HostFocusCapture {
    HostFocusCapture(
      frontmost: {
        self.log.append("focus.target")
        let script = self.state.withLock { $0 }
        await script.targetGate?.pass()
        return script.target
      },
      fieldContext: { _ in
        self.log.append("focus.field")
        let script = self.state.withLock { $0 }
        await script.fieldGate?.pass()
        return script.field
      })
  }
}
