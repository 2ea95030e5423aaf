import AssemblyAI
import Testing

@Suite struct DictationRequestsTests {
  private let requests = DictationRequests(
    baseURL: " https://example.test/ ", apiKey: " k3y\n", userAgent: "Blurt/1.0 (Linux 6.8)")

  @Test("T-06 T-13 T-14 T-16 T-20 T-81 the live request has exactly three headers and a limit on stalls alone")
  func live() {
    let request = requests.live(ChunkedRequestBody(), boundary: "blurt-B")
    #expect(request.method == "POST")
    #expect(request.url == "https://example.test/v1/transcribe/live")
    // T-17 to T-19: length, encoding and Expect are the transport's; T-20: no model header.
    #expect(
      request.headers.map { "\($0.name): \($0.value)" } == [
        "Authorization: k3y", "Content-Type: multipart/form-data; boundary=blurt-B",
        "User-Agent: Blurt/1.0 (Linux 6.8)",
      ])
    #expect(request.stallTimeout == .seconds(90))
    #expect(request.totalTimeout == nil)
  }

  @Test("T-07 T-16 the whole-clip request has the same headers and a body of known length")
  func wholeClip() {
    let request = requests.wholeClip(.bytes([1]), boundary: "blurt-C")
    #expect(request.method == "POST")
    #expect(request.url == "https://example.test/v1/transcribe")
    #expect(request.headers.map(\.name) == ["Authorization", "Content-Type", "User-Agent"])
    guard case .bytes([1]) = request.body else {
      Issue.record("not the bytes that were given")
      return
    }
  }

  @Test("T-08 T-11 T-16 the warm-up is a GET to the same base, without a key, over after five seconds")
  func warmUp() {
    let request = requests.warmUp()
    #expect(request.method == "GET")
    #expect(request.url == "https://example.test/warm")
    #expect(request.headers.map(\.name) == ["User-Agent"])
    #expect(request.totalTimeout == .seconds(5))
    guard case .none = request.body else {
      Issue.record("a warm-up has no body")
      return
    }
  }

  @Test("T-10 the three origins, and a blank one means production")
  func origins() {
    #expect(DictationOrigin.production == "https://dictation.assemblyai.com")
    #expect(DictationOrigin.unitedStates == "https://dictation.us.assemblyai.com")
    #expect(DictationOrigin.europe == "https://dictation.eu.assemblyai.com")
    #expect(DictationOrigin.normalized(" ") == DictationOrigin.production)
    #expect(DictationOrigin.normalized("http://localhost:1//") == "http://localhost:1")
  }
}
