import Testing

@testable import BlurtEngine

@Suite struct BlurtErrorTests {
  struct Oddity: Error, CustomStringConvertible {
    var description: String { "odd" }
  }

  static let alsa = UnderlyingError(domain: .alsa, code: -13, message: "Permission denied.")
  static let http = UnderlyingError(domain: .http, code: 503, message: "503 from the service: try later.")

  /// Every error with its stable name and a word that its sentence must hold.
  static let all: [(error: BlurtError, name: String, word: String)] = [
    (.apiKeyMissing, "apiKeyMissing", "key"),
    (.accessibilityPermissionMissing, "accessibilityPermissionMissing", "XTest"),
    (.audioCaptureFailed(underlying: alsa), "audioCaptureFailed", "Permission denied."),
    (.sttFailed(underlying: http), "sttFailed", "503"),
    (.targetAppLost, "targetAppLost", "clipboard"),
    (.noEditableTarget, "noEditableTarget", "clipboard"),
  ]

  @Test("S-15 S-16 S-17 S-18 S-19 S-20 S-21 each error has a stable name and a sentence ready to show")
  func namesAndSentences() {
    for row in Self.all {
      #expect(row.error.diagnosticName == row.name)
      #expect(row.error.description.contains(row.word), "\(row.name)")
    }
    #expect(Set(Self.all.map(\.error.diagnosticName)).count == 6)
  }

  @Test("S-21 errors compare by case, wrapped errors by domain and code only")
  func equality() {
    for (index, row) in Self.all.enumerated() {
      for (other, column) in Self.all.enumerated() { #expect((row.error == column.error) == (index == other)) }
    }
    let sameCode = UnderlyingError(domain: .alsa, code: -13, message: "Other words.")
    #expect(BlurtError.audioCaptureFailed(underlying: Self.alsa) == .audioCaptureFailed(underlying: sameCode))
    #expect(Self.alsa.hashValue == sameCode.hashValue)
    let otherCode = UnderlyingError(domain: .alsa, code: -16, message: "Permission denied.")
    #expect(BlurtError.audioCaptureFailed(underlying: Self.alsa) != .audioCaptureFailed(underlying: otherCode))
    let otherDomain = UnderlyingError(domain: .posix, code: -13, message: "Permission denied.")
    #expect(BlurtError.audioCaptureFailed(underlying: Self.alsa) != .audioCaptureFailed(underlying: otherDomain))
  }

  @Test("S-22 a denied microphone has no case of its own")
  func denial() {
    #expect(BlurtError.capture(Self.alsa) == .audioCaptureFailed(underlying: Self.alsa))
    #expect(BlurtError.capture(Self.alsa).diagnosticName == "audioCaptureFailed")
  }

  @Test("S-17 S-56 whatever a microphone throws becomes audioCaptureFailed")
  func capture() {
    let wrapped = BlurtError.audioCaptureFailed(underlying: Self.alsa)
    #expect(BlurtError.capture(wrapped) == wrapped)
    #expect(BlurtError.capture(Oddity()).underlying?.message == "odd")
    #expect(BlurtError.capture(Oddity()).diagnosticName == "audioCaptureFailed")
    #expect(BlurtError.capture(BlurtError.targetAppLost).diagnosticName == "audioCaptureFailed")
  }

  @Test("S-24 a transcriber's BlurtError surfaces unchanged, anything else is wrapped in sttFailed")
  func transcription() {
    for row in Self.all { #expect(BlurtError.transcription(row.error) == row.error) }
    #expect(BlurtError.transcription(Self.http) == .sttFailed(underlying: Self.http))
    #expect(BlurtError.transcription(Oddity()).underlying?.message == "odd")
    #expect(BlurtError.transcription(CancellationError()).diagnosticName == "sttFailed")
    #expect(!BlurtError.transcription(CancellationError()).description.isEmpty)
  }

  @Test("S-23 S-77 what an insert throws decides the end")
  func insert() {
    #expect(PipelinePhase(afterInsert: nil) == .pasted)
    #expect(PipelinePhase(afterInsert: BlurtError.noEditableTarget) == .noTarget)
    #expect(PipelinePhase(afterInsert: BlurtError.targetAppLost) == .noTarget)
    for row in Self.all where row.error != .noEditableTarget && row.error != .targetAppLost {
      #expect(PipelinePhase(afterInsert: row.error) == .failed(row.error))
    }
    #expect(PipelinePhase(afterInsert: Oddity()) == .failed(.targetAppLost))
    #expect(PipelinePhase(afterInsert: Self.alsa) == .failed(.targetAppLost))
  }
}
