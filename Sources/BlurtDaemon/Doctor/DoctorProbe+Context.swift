package import BlurtContext
internal import BlurtContract

/// The focused field. That it cannot be read is no failure: dictation works the same (C-95, P-82).
extension DoctorProbe {
  package static func context(
    isOn: @escaping @Sendable () -> Bool, availability: @escaping @Sendable () async -> ContextAvailability
  ) -> DoctorProbe {
    DoctorProbe("context") { _ in
      guard isOn() else {
        return DoctorCheck(
          "context", .ok,
          "The text before the caret is not read (BlurtFieldContext is off), and password fields are not known as such."
        )
      }
      switch await availability() {
      case .noLibrary(let words):
        return DoctorCheck(
          "context", .warning, "The text before the caret cannot be read: libsystemd cannot be loaded (\(words)).",
          remedy: "install libsystemd (Debian: libsystemd0), or blurtctl settings set FieldContext off")
      case .noBus(let reason):
        return DoctorCheck(
          "context", .warning,
          "The text before the caret cannot be read, and password fields are not known as such: there is no "
            + "accessibility bus (\(reason)). Dictation works without it.",
          remedy: "sudo apt-get install at-spi2-core, then log in again; or blurtctl settings set FieldContext off")
      case .ready(let count, let isEnabled):
        let programs = count == 1 ? "1 program that runs now" : "\(count) programs that run now"
        guard isEnabled == false else {
          return DoctorCheck("context", .ok, "The text before the caret can be read in \(programs).")
        }
        return DoctorCheck(
          "context", .ok,
          "The text before the caret can be read in \(programs). Qt programs and browsers tell nothing "
            + "until accessibility is on for the desktop: gsettings set org.gnome.desktop.interface "
            + "toolkit-accessibility true, then start them again.")
      }
    }
  }
}
