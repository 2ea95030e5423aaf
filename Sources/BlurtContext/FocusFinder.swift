internal import BlurtBus
internal import BlurtEngine

/// Finds the object that has the focus in the window of the press, without listening to anybody's events.
struct FocusFinder {
  let limits: ContextLimits

  /// Nil where the window's program is not on the bus, or nothing in its window has the focus. Throws `.unanswered` where
  /// that cannot be told.
  func find(
    _ target: CapturedFocus?, title: String?, on bus: borrowing AccessibilityBus
  ) throws(BusError) -> AccessibleReference? {
    let programs = try bus.programs()
    if let processID = target?.processID, processID > 0 {
      var own: [AccessibleReference] = []
      for program in programs where try bus.processID(of: program.program) == processID { own.append(program) }
      if !own.isEmpty {
        for program in own {
          for window in try activeWindows(of: program, on: bus) {
            if let found = try focused(in: window, on: bus) { return found }
          }
        }
        return nil
      }
    }
    // The window does not tell its process, or tells another one than the bus does (a sandbox): only the one window of
    // that title will do.
    guard let window = try onlyActiveWindow(of: programs, title: title, isAnyTitle: target == nil, on: bus) else {
      return nil
    }
    return try focused(in: window, on: bus)
  }

  private func activeWindows(
    of program: AccessibleReference, on bus: borrowing AccessibilityBus
  ) throws(BusError) -> [AccessibleReference] {
    var active: [AccessibleReference] = []
    for window in try bus.children(of: program, atMost: limits.partsOfAnObject).parts
    where try bus.states(of: window).contains(.active) {
      active.append(window)
    }
    return active
  }

  private func onlyActiveWindow(
    of programs: [AccessibleReference], title: String?, isAnyTitle: Bool, on bus: borrowing AccessibilityBus
  ) throws(BusError) -> AccessibleReference? {
    var found: [AccessibleReference] = []
    var silence: BusError?
    for program in programs {
      do throws(BusError) {
        for window in try activeWindows(of: program, on: bus) {
          if !isAnyTitle {
            guard let title, try bus.name(of: window) == title else { continue }
          }
          found.append(window)
        }
      } catch {
        // One that hangs, or has just gone, may be another program than the window's.
        switch error {
        case .unanswered: silence = error
        case .refused, .absent: break
        case .noLibrary, .noBus, .connectionLost, .stopped: throw error
        }
      }
    }
    if found.isEmpty, let silence { throw silence }
    return found.count == 1 ? found[0] : nil
  }

  private func focused(
    in window: AccessibleReference, on bus: borrowing AccessibilityBus
  ) throws(BusError) -> AccessibleReference? {
    if let found = try bus.focused(in: window) { return found }
    return try walk(window, on: bus)
  }

  /// Looks at one object after the other, in the order of the tree: toolkits without a search of their own.
  private func walk(
    _ window: AccessibleReference, on bus: borrowing AccessibilityBus
  ) throws(BusError) -> AccessibleReference? {
    var waiting = [window]
    var looked = 0
    var areAll = true
    while let object = waiting.popLast() {
      guard looked < limits.objects else {
        areAll = false
        break
      }
      looked += 1
      do throws(BusError) {
        if object != window {
          let states = try bus.states(of: object)
          if states.contains(.focused) { return object }
          guard !states.isDisjoint(with: [.showing, .visible]), !states.contains(.managesDescendants) else { continue }
        }
        let children = try bus.children(of: object, atMost: limits.partsOfAnObject)
        if !children.areAll { areAll = false }
        waiting += children.parts.reversed()
      } catch {
        // It went away under our eyes.
        let gone: Bool? = try AccessibilityBus.nilIfRefused(error)
        if gone == nil { continue }
      }
    }
    // What was not looked at may be a password.
    guard areAll else { throw .unanswered(call: "the whole window") }
    return nil
  }
}
