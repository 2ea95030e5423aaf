import AssemblyAI
import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite struct FailureCauseTests {
  private func cause(_ domain: UnderlyingError.Domain, _ code: Int) -> FailureCause? {
    BlurtError.sttFailed(underlying: UnderlyingError(domain: domain, code: code, message: "m")).cause
  }

  @Test(
    "B-125 every status that a person can do something about has a cause of its own",
    arguments: [
      (401, .key), (402, .credit), (403, .key), (404, .request), (400, .request), (407, .proxy), (413, .size),
      (415, .audioType), (429, .rate), (500, .server), (503, .server), (302, .request),
    ] as [(Int, FailureCause)])
  func statuses(status: Int, expected: FailureCause) { #expect(cause(.http, status) == expected) }

  @Test(
    "B-125 name, connection, TLS, proxy and stall are told apart",
    arguments: [
      (6, .network), (7, .network), (55, .network), (56, .network), (35, .tls), (60, .tls), (77, .tls), (5, .proxy),
      (97, .proxy), (28, .timeout), (26, .storage),
    ] as [(Int, FailureCause)])
  func transfers(code: Int, expected: FailureCause) { #expect(cause(.curl, code) == expected) }

  @Test("B-125 faults that are no transfer's name what failed")
  func others() {
    #expect(cause(.transcription, TranscriptionFault.malformedResponse.rawValue) == .answer)
    #expect(cause(.transcription, TranscriptionFault.noRecording.rawValue) == .storage)
    #expect(cause(.offline, 1) == .engine && cause(.command, 3) == .program)
    #expect(EngineChoice.staysLocal.cause == .settings && EngineChoice.openAIIsNotSet.cause == .settings)
    #expect(cause(.other, EngineChoice.Refusal.keyStoreLocked.rawValue) == .key && cause(.other, 0) == nil)
    #expect(BlurtError.apiKeyMissing.cause == nil)
    let lost = UnderlyingError(domain: .curl, code: 7, message: "")
    #expect(BlurtError.audioCaptureFailed(underlying: lost).cause == nil)
  }

  @Test(
    "B-124 a 429 of an account that has nothing left says so, and is no matter of waiting",
    arguments: [
      (#"{"error":"You exceeded your current quota"}"#, true),
      (#"{"error":"x","error_code":"insufficient_credits"}"#, true),
      (#"{"error":"slow down"}"#, false), ("", false),
    ])
  func quota(body: String, isSpent: Bool) {
    let failure = ServiceFailure(HTTPResponse(status: 429, headers: [("Retry-After", "7")], json: body))
    let error = UnderlyingError(failure)
    #expect(error.cause == (isSpent ? .credit : .rate) && error.code == 429)
    #expect(error.message.contains("credit left") == isSpent && error.message.contains("wait 7 s") != isSpent)
    #expect(error.message.contains("is kept"))
    #expect(!ServiceFailure(status: 500, message: "quota").isQuotaSpent)
  }
}
