import AssemblyAI
import BlurtTestSupport
import Testing

@Suite struct ServiceFailureTests {
  private func failure(_ status: Int = 400, _ body: String, hiding secret: String = "") -> ServiceFailure {
    ServiceFailure(HTTPResponse(status: status, json: body), hiding: secret)
  }

  @Test(
    "T-85 the message is error, else detail, else the raw body",
    arguments: [
      (#"{"error":"a","detail":"b"}"#, "a"),
      (#"{"detail":"b","message":"c"}"#, "b"),
      (#"{"error":7,"detail":"b"}"#, "b"),
      (#"{"message":"c"}"#, #"{"message":"c"}"#),
      (#"{"detail":[{"msg":"x"}]}"#, #"{"detail":[{"msg":"x"}]}"#),
      (#"["error"]"#, #"["error"]"#),
      (" <b>Bad gateway</b>\r\n", "<b>Bad gateway</b>"),
      ("", nil),
      (" \n ", nil),
      (#"{"error":"  "}"#, nil),
    ] as [(String, String?)])
  func message(body: String, expected: String?) {
    #expect(failure(400, body).message == expected)
  }

  @Test("T-85 a raw body is cut to 500 characters")
  func longMessage() {
    #expect(failure(500, String(repeating: "é", count: 501)).message == String(repeating: "é", count: 500))
    #expect(failure(500, String(repeating: "é", count: 500)).message?.count == 500)
  }

  @Test("T-86 the description names the service, the status and the message after a colon")
  func description() {
    #expect(
      failure(429, #"{"error":"slow down"}"#).description == "AssemblyAI answered with HTTP status 429: slow down")
    #expect(failure(503, "").description == "AssemblyAI answered with HTTP status 503")
  }

  @Test(
    "T-66 only 413 with exactly this error_code leads to the whole-clip route",
    arguments: [
      (413, #"{"error_code":"audio_too_large"}"#, true),
      (413, #"{"error_code":"AUDIO_TOO_LARGE"}"#, false),
      (413, #"{"error_code":"body_too_large"}"#, false),
      (413, #"{"error":"audio_too_large"}"#, false),
      (413, "", false),
      (400, #"{"error_code":"audio_too_large"}"#, false),
    ])
  func overCap(status: Int, body: String, expected: Bool) {
    #expect(failure(status, body).isOverStreamingCap == expected)
  }

  @Test("T-88 Retry-After is read for the sentence, whatever its case, and a date is left out")
  func retryAfter() {
    func seconds(_ value: String) -> Int? {
      ServiceFailure(HTTPResponse(status: 429, headers: [("retry-AFTER", value)])).retryAfterSeconds
    }
    #expect(seconds(" 7 ") == 7)
    #expect(seconds("Wed, 21 Oct 2026 07:28:00 GMT") == nil)
  }

  @Test("T-111 a key that the service repeats is wiped from the message")
  func secret() {
    #expect(failure(401, #"{"error":"no such key: k3y!"}"#, hiding: "k3y").message == "no such key: [key]!")
  }
}
