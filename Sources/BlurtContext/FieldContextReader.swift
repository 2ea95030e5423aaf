internal import BlurtBus
package import BlurtEngine
internal import BlurtOS
internal import Synchronization

/// Reads the focused field of a window through AT-SPI (C-79…C-95), the accessibility protocol of Linux desktops.
///
/// Each reading has a thread and a connection of its own, which end with it: idle costs nothing, and a program that hangs
/// costs nothing but its context. Any thread may ask.
package final class FieldContextReader: Sendable {
  /// Where the accessibility bus is.
  package enum Place: Hashable, Sendable {
    /// The bus of the session knows; nil for that of the environment.
    case session(String?)
    case address(String)
  }

  private let place: Place
  private let libraryName: String
  private let limits: ContextLimits
  private let running = Mutex(0)

  /// `environment` may name the bus (`AT_SPI_BUS_ADDRESS`), as it does for all programs of a desktop.
  package convenience init(environment: [String: String]) {
    let named = environment["AT_SPI_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
    self.init(place: named.map { .address($0) } ?? .session(nil))
  }

  package init(place: Place, library: String? = nil, limits: ContextLimits = ContextLimits()) {
    self.place = place
    libraryName = library ?? SystemdLibrary.name
    self.limits = limits
  }

  /// Asks what has the focus in that window. Comes back within the limit of a reading, and some milliseconds.
  ///
  /// `title` is the window's by the display. With `wantsDetails` label and selected text are read as well: only a log asks
  /// for them (C-81, C-83).
  package func read(_ target: CapturedFocus?, title: String?, wantsDetails: Bool) async -> FieldReading {
    let isFree = running.withLock { running in
      guard running < limits.readingsAtOnce else { return false }
      running += 1
      return true
    }
    guard isFree else { return .unknown("readings of other presses are under way") }
    defer { running.withLock { $0 -= 1 } }
    do throws(Errno) {
      return try await Blocking.run(name: "blurt-context") { [self] in
        reading(target, title: title, wantsDetails: wantsDetails)
      }
    } catch {
      return .unknown("\(error)")
    }
  }

  /// What there is to ask, for `doctor`.
  package func availability() async -> ContextAvailability {
    do throws(Errno) {
      return try await Blocking.run(name: "blurt-context") { [self] in available() }
    } catch {
      return .noBus("\(error)")
    }
  }

  // MARK: On the thread

  private func reading(_ target: CapturedFocus?, title: String?, wantsDetails: Bool) -> FieldReading {
    do throws(BusError) {
      let library = try SystemdLibrary(name: libraryName)
      return answer(
        on: try AccessibilityBus(place, library: library, limits: limits), target, title: title,
        wantsDetails: wantsDetails)
    } catch {
      return .noService
    }
  }

  private func answer(
    on bus: borrowing AccessibilityBus, _ target: CapturedFocus?, title: String?, wantsDetails: Bool
  ) -> FieldReading {
    do throws(BusError) {
      guard let object = try FocusFinder(limits: limits).find(target, title: title, on: bus) else { return .nothing }
      return .field(try field(object, on: bus, wantsDetails: wantsDetails))
    } catch {
      switch error {
      case .noLibrary, .noBus, .absent: return .noService
      case .connectionLost(let error): return .unknown("\(error)")
      case .refused(let call, _), .unanswered(let call): return .unknown(call)
      case .stopped: return .nothing
      }
    }
  }

  private func field(
    _ object: AccessibleReference, on bus: borrowing AccessibilityBus, wantsDetails: Bool
  ) throws(BusError) -> FocusedFieldContext {
    let role = try bus.role(of: object)
    // C-88: of a secure field nothing else is asked.
    if role.isSecure { return FocusedFieldContext(isSecure: true, isEditable: role == .passwordText ? true : nil) }
    let states = try bus.states(of: object)
    var field = FocusedFieldContext()
    field.isEditable = states.contains(.editable) ? true : try canBeWrittenTo(object, role, states, on: bus)
    // A text that is only looked at is not what the user writes.
    if states.contains(.editable), role != .terminal {
      do throws(BusError) {
        try readText(of: object, on: bus, wantsDetails: wantsDetails, into: &field)
      } catch {
        // Without a text, or a program that answers no more: what is known counts.
        switch error {
        case .refused, .absent, .unanswered: break
        case .noLibrary, .noBus, .connectionLost, .stopped: throw error
        }
      }
    }
    return field.bounded
  }

  /// Whether text can be put into an object that does not call itself editable (C-61, C-69); nil in doubt: on its word a
  /// paste is refused.
  ///
  /// Programs that draw their own surface, terminals, cells of tables and pages of web views are in doubt: many take a text
  /// without saying so.
  private func canBeWrittenTo(
    _ object: AccessibleReference, _ role: AccessibleRole, _ states: AccessibleStates,
    on bus: borrowing AccessibilityBus
  ) throws(BusError) -> Bool? {
    switch role {
    case .text:
      guard !states.contains(.readOnly), try bus.hasEditableText(object) else { return false }
      // GTK 3 has the interface on each text view, and keeps the state true to the widget.
      return try bus.attribute("toolkit", of: object) != "gtk"
    case .control, .other:
      if try bus.hasEditableText(object) { return true }
      return role == .control ? false : nil
    case .terminal, .passwordText, .unreadable: return nil
    }
  }

  private func readText(
    of object: AccessibleReference, on bus: borrowing AccessibilityBus, wantsDetails: Bool,
    into field: inout FocusedFieldContext
  ) throws(BusError) {
    guard let caret = try bus.caret(of: object), let count = try bus.characterCount(of: object) else { return }
    let selection = try bus.selection(of: object)
    guard let end = FieldText.end(caret: caret, count: count, selectionStart: selection?.start) else { return }
    let start = FieldText.start(before: end)
    if end == 0 {
      field.priorText = ""
    } else if let slice = try bus.text(of: object, from: start, to: end) {
      field.priorText = FieldText.prior(slice, isWhole: start == 0)
    }
    guard wantsDetails else { return }
    if let selection {
      field.selectedText = try bus.text(
        of: object, from: selection.start,
        to: FieldText.end(ofSelectionFrom: selection.start, to: selection.end))
    }
    field.fieldLabel = try bus.label(of: object)
  }

  private func available() -> ContextAvailability {
    do throws(BusError) {
      let library = try SystemdLibrary(name: libraryName)
      let bus = try AccessibilityBus(place, library: library, limits: limits)
      let count = try bus.programs().count
      return .ready(
        programCount: count, isEnabled: AccessibilityBus.isEnabled(place, library: library, limits: limits))
    } catch {
      switch error {
      case .noLibrary(let words): return .noLibrary(words)
      case .noBus(let error), .connectionLost(let error): return .noBus("\(error)")
      case .absent: return .noBus("none runs in this session")
      case .refused(let call, let words): return .noBus("\(call): \(words)")
      case .unanswered(let call): return .noBus("\(call) was not answered")
      case .stopped: return .noBus("stopped")
      }
    }
  }
}
