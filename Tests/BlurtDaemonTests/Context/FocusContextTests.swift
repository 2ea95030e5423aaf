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
}
