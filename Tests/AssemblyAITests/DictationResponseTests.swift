import AssemblyAI
import Testing

@Suite struct DictationResponseTests {
  @Test("T-61 T-62 T-63 every field is read")
  func full() throws {
    let json = """
      {"text":"um hi","llm_response":"Hi.","llm_error":"timeout","session_id":"s1","audio_duration_ms":1234,
       "request_time_ms":56.4,"sync_time_ms":7,"unknown":[1]}
      """
    #expect(
      try DictationResponse(decoding: Array(json.utf8))
        == DictationResponse(
          text: "um hi", llmResponse: "Hi.", llmError: "timeout", sessionID: "s1", audioDurationMilliseconds: 1_234,
          requestTimeMilliseconds: 56, syncTimeMilliseconds: 7))
  }

  @Test("T-61 an empty text is a transcript")
  func emptyText() throws {
    #expect(try DictationResponse(decoding: Array(#"{"text":""}"#.utf8)) == DictationResponse(text: ""))
  }

  @Test(
    "T-61 no text, a text of another type, or no JSON is malformed",
    arguments: [
      "{}", #"{"text":null}"#, #"{"text":7}"#, #"{"text":["a"]}"#, "[]", "null", "", #"{"text":"a""#, "<html>",
    ])
  func malformed(json: String) {
    #expect(throws: AssemblyAIError.malformedResponse) { try DictationResponse(decoding: Array(json.utf8)) }
  }

  @Test("T-62 T-63 odd diagnostics count as missing and fail nothing")
  func oddDiagnostics() throws {
    let json = """
      {"text":"a","llm_response":7,"llm_error":{},"session_id":[],"audio_duration_ms":"x","request_time_ms":1e300,
       "sync_time_ms":null}
      """
    #expect(try DictationResponse(decoding: Array(json.utf8)) == DictationResponse(text: "a"))
  }
}
