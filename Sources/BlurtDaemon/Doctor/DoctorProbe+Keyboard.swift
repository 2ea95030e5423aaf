internal import BlurtContract
package import BlurtHotkey

extension DoctorProbe {
  /// The trigger key on a keyboard that can be heard (P-82, B-12, B-30).
  ///
  /// `denial` says why a node may not be read, `holders` who may have a device for itself.
  package static func keyboard(
    _ status: @escaping @Sendable () -> HotkeyStatus?,
    denial: @escaping @Sendable (_ node: String) -> KeyboardDenial = { KeyboardDenial(node: $0) },
    holders: @escaping @Sendable (_ node: String) -> InputHolders = { InputHolders(of: $0) }
  ) -> DoctorProbe {
    DoctorProbe("keyboard") {
      guard let status = status() else {
        return DoctorCheck(
          "keyboard", .failed, "The trigger key cannot be watched at all.",
          remedy: "journalctl --user -u blurtd -p err")
      }
      let names = status.triggers.joined(separator: ", ")
      if status.isReady {
        var found = "\(names) is on \(status.withTrigger) of \(status.seen) input devices."
        for silenced in status.silencedKeyboards {
          found += " \(held(silenced, by: holders)): its keys are heard through that program's own keyboard, if at all."
        }
        guard let hint = status.hint else { return DoctorCheck("keyboard", .ok, found) }
        return DoctorCheck("keyboard", .warning, "\(found) \(hint)", remedy: "systemctl --user restart blurtd")
      }
      if status.pause == nil, status.hasScanned, !status.triggers.isEmpty {
        if let denied = status.deniedKeyboards.first {
          let denial = denial(denied.node)
          return DoctorCheck(
            "keyboard", .failed, "\(denied.label) may not be read, so \(names) is not seen: \(denial.reason).",
            remedy: denial.remedy)
        }
        if let silenced = status.silencedKeyboards.first {
          return DoctorCheck(
            "keyboard", .failed, "\(held(silenced, by: holders)), so \(names) is not seen.",
            remedy: "have that program pass the key on, or blurtctl keys bind KEY_F13")
        }
      }
      return DoctorCheck(
        "keyboard", .failed, status.hint ?? "\(names) is not seen.", remedy: remedy(for: status))
    }
  }

  private static func held(_ device: HotkeyStatus.Device, by holders: (String) -> InputHolders) -> String {
    let remark = holders(device.node).remark.map { " (\($0))" } ?? ""
    return "Another program holds \(device.label) for itself\(remark)"
  }

  private static func remedy(for status: HotkeyStatus) -> String {
    if status.pause != nil { return "loginctl unlock-session" }
    if status.seen == 0 { return "plug in a keyboard" }
    return "blurtctl keys bind KEY_F13, or another key that the keyboard has"
  }
}
