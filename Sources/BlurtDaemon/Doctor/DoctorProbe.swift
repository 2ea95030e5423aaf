package import BlurtContract

/// One link of the chain that `doctor` looks at. A new part of the daemon joins by adding one to the daemon's list.
package struct DoctorProbe: Sendable {
  /// The stable name of the link, as the wire has it.
  package let name: String
  /// Looks and tells; `record` says that the microphone may be opened for a moment. It may take its time: the doctor does
  /// not wait for ever. It types nothing, pastes nothing and changes nothing.
  package let look: @Sendable (_ record: Bool) async -> DoctorCheck

  package init(_ name: String, _ look: @escaping @Sendable (_ record: Bool) async -> DoctorCheck) {
    self.name = name
    self.look = look
  }

  /// One that needs no microphone and answers at once.
  package init(_ name: String, of look: @escaping @Sendable () -> DoctorCheck) {
    self.init(name) { _ in look() }
  }
}
