package import BlurtContext
package import BlurtEngine
internal import BlurtOS

/// What a press learns of the focus: the display's word on the window, and accessibility's on the field in it.
package enum FocusContext {
  /// Asks for a field: that window, its title, and whether a log wants label and selection as well.
  package typealias Read =
    @Sendable (_ target: CapturedFocus?, _ title: String?, _ wantsDetails: Bool) async -> FieldReading

  /// - Parameters:
  ///   - window: the frontmost window and its title.
  ///   - isOn: `BlurtFieldContext`. Off, accessibility is asked nothing.
  ///   - wantsDetails: whether anything will look at label and selection (S-99): developer mode.
  ///   - gate: learns whether the field takes a text.
  ///   - read: may hang for as long as a reading may take.
  package static func capture(
    window: HostFocusCapture, isOn: @escaping @Sendable () -> Bool, wantsDetails: @escaping @Sendable () -> Bool,
    gate: FieldGate = FieldGate(), read: @escaping Read
  ) -> HostFocusCapture {
    HostFocusCapture(
      frontmost: {
        gate.forget()
        return await window.frontmost()
      },
      fieldContext: { target in
        let ofWindow = await window.fieldContext(target)
        // C-94: whatever role a terminal gives its screen.
        guard isOn(), !isTerminal(target) else { return ofWindow }
        let reading = await read(target, ofWindow?.windowTitle, wantsDetails())
        gate.note(reading, of: target, title: ofWindow?.windowTitle)
        if case .unknown(let call) = reading {
          Log.info("the focused field could not be read; the dictation is not remembered", ["call": call])
        }
        return reading.context(windowTitle: ofWindow?.windowTitle)
      })
  }

  private static func isTerminal(_ target: CapturedFocus?) -> Bool {
    guard let target else { return false }
    return WindowClassRules().rule(for: .init(windowClass: target.windowClass)).kind.isTerminal
  }
}
