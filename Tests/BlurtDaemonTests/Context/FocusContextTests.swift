import BlurtContext
import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("FocusContext", .timeLimit(.minutes(1))) struct FocusContextTests {
  private let window = CapturedFocus(processID: 7, name: "Editor", windowID: 9, windowClass: "Editor")
  private let asked = Box<[String]>([])

  private func capture(
    _ reading: FieldReading, target: CapturedFocus?, isOn: Bool = true, wantsDetails: Bool = false,
    title: String? = "Letter"
  ) -> HostFocusCapture {
    FocusContext.capture(
      window: HostFocusCapture(
        frontmost: { target }, fieldContext: { _ in title.map { FocusedFieldContext(windowTitle: $0) } }),
      isOn: { isOn }, wantsDetails: { wantsDetails },
      read: { [asked] target, title, wantsDetails in
        asked.append("\(target?.processID ?? 0) \(title ?? "-") \(wantsDetails)")
        return reading
      })
  }

  @Test("C-79 C-80 S-54 the window is the display's, the field in it is accessibility's")
  func both() async {
    let focus = capture(.field(FocusedFieldContext(priorText: "Dear", isEditable: true)), target: window)
    #expect(await focus.frontmost() == window)
    #expect(
      await focus.fieldContext(window)
        == FocusedFieldContext(windowTitle: "Letter", priorText: "Dear", isEditable: true))
    #expect(asked.value == ["7 Letter false"])
  }

  @Test("C-95 without a service, or with nothing focused, the window's title is all that is known")
  func nothing() async {
    for reading in [FieldReading.noService, .nothing] {
      let focus = capture(reading, target: window)
      #expect(await focus.fieldContext(window) == FocusedFieldContext(windowTitle: "Letter"))
      #expect(await capture(reading, target: nil, title: nil).fieldContext(nil) == nil)
    }
  }

  @Test("C-88 a field that could not be found out about is secure")
  func unknown() async {
    let focus = capture(.unknown("GetRole"), target: window)
    #expect(await focus.fieldContext(window) == FocusedFieldContext(windowTitle: "Letter", isSecure: true))
  }

  @Test("BlurtFieldContext off: accessibility is asked nothing")
  func off() async {
    let focus = capture(.field(FocusedFieldContext(priorText: "Dear")), target: window, isOn: false)
    #expect(await focus.fieldContext(window) == FocusedFieldContext(windowTitle: "Letter"))
    #expect(asked.value.isEmpty)
  }

  @Test("C-94 a terminal's screen is never asked for", arguments: ["XTerm", "konsole", "Gnome-terminal", "kitty"])
  func terminal(_ name: String) async {
    let terminal = CapturedFocus(processID: 7, name: name, windowID: 9, windowClass: name)
    let focus = capture(.field(FocusedFieldContext(priorText: "$ cat secret")), target: terminal)
    #expect(await focus.fieldContext(terminal) == FocusedFieldContext(windowTitle: "Letter"))
    #expect(asked.value.isEmpty)
  }

  @Test("C-81 C-83 label and selection are wanted in developer mode alone")
  func details() async {
    _ = await capture(.nothing, target: window, wantsDetails: true).fieldContext(window)
    #expect(asked.value == ["7 Letter true"])
  }

  // MARK: What takes no text

  private func gate(after atPress: FieldReading, isOn: Bool = true) async -> FieldGate {
    let gate = FieldGate()
    let focus = FocusContext.capture(
      window: HostFocusCapture(frontmost: { nil }, fieldContext: { _ in FocusedFieldContext(windowTitle: "Letter") }),
      isOn: { isOn }, wantsDetails: { true }, gate: gate, read: { _, _, _ in atPress })
    _ = await focus.frontmost()
    _ = await focus.fieldContext(window)
    return gate
  }

  private func isClosed(_ gate: FieldGate, to target: CapturedFocus?, now: FieldReading) async -> Bool {
    await gate.isClosed(to: target) { [asked] target, title, wantsDetails in
      asked.append("\(target?.processID ?? 0) \(title ?? "-") \(wantsDetails)")
      return now
    }
  }

  private static func field(_ isEditable: Bool?) -> FieldReading { .field(FocusedFieldContext(isEditable: isEditable)) }

  @Test("C-42 C-61 a field that takes no text, at the press and at the paste, is closed")
  func closed() async {
    let gate = await gate(after: Self.field(false))
    #expect(await isClosed(gate, to: window, now: Self.field(false)))
    #expect(asked.value == ["7 Letter false"])
  }

  @Test("C-42 another field of the window since the press, or a doubt, opens it")
  func opened() async {
    let gate = await gate(after: Self.field(false))
    for now in [Self.field(true), Self.field(nil), .nothing, .noService, .unknown("GetRole")] {
      #expect(await !isClosed(gate, to: window, now: now))
    }
    #expect(await !isClosed(gate, to: nil, now: Self.field(false)))
    #expect(await !isClosed(gate, to: CapturedFocus(processID: 8, name: "Other"), now: Self.field(false)))
  }

  @Test("C-62 C-42 where the press did not find it closed, the paste asks nobody")
  func notAsked() async {
    for atPress in [Self.field(true), Self.field(nil), .nothing, .noService, .unknown("GetRole")] {
      #expect(await !isClosed(await gate(after: atPress), to: window, now: Self.field(false)))
    }
    #expect(await !isClosed(await gate(after: Self.field(false), isOn: false), to: window, now: Self.field(false)))
    #expect(asked.value.isEmpty)
  }

  @Test("C-96 the next press begins anew, also one that brings its field along")
  func forgotten() async {
    let gate = await gate(after: Self.field(false))
    let next = FocusContext.capture(
      window: HostFocusCapture(frontmost: { nil }, fieldContext: { _ in nil }), isOn: { true }, wantsDetails: { false },
      gate: gate, read: { _, _, _ in .nothing })
    _ = await next.frontmost()
    #expect(await !isClosed(gate, to: window, now: Self.field(false)))
    #expect(asked.value.isEmpty)
  }
}
