import AssemblyAI
import Testing

@Suite struct MultipartBodyTests {
  @Test("T-22 T-23 the body is the config part, the audio part and the closing boundary, byte for byte")
  func golden() {
    let boundary = "blurt-11111111-2222-3333-4444-555555555555"
    let config = DictationConfig(llmInstruction: "x").encoded()
    let body =
      MultipartBody.head(config: config, boundary: boundary) + [1, 0, 2, 0] + MultipartBody.tail(boundary: boundary)
    let expected =
      "--blurt-11111111-2222-3333-4444-555555555555\r\n"
      + "Content-Disposition: form-data; name=\"config\"\r\n"
      + "Content-Type: application/json\r\n\r\n"
      + "{\"channels\":1,\"llm_instruction\":\"x\",\"sample_rate\":16000}"
      + "\r\n--blurt-11111111-2222-3333-4444-555555555555\r\n"
      + "Content-Disposition: form-data; name=\"audio\"; filename=\"audio.pcm\"\r\n"
      + "Content-Type: audio/pcm\r\n\r\n"
      + "\u{1}\u{0}\u{2}\u{0}"
      + "\r\n--blurt-11111111-2222-3333-4444-555555555555--\r\n"
    #expect(body == Array(expected.utf8))
  }

  @Test("T-15 each boundary is blurt- and a fresh upper-case UUID")
  func boundaries() throws {
    let boundary = MultipartBody.makeBoundary()
    let form = /blurt-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/
    #expect(try form.wholeMatch(in: boundary) != nil)
    #expect(MultipartBody.makeBoundary() != boundary)
  }
}
