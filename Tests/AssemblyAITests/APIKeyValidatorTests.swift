import AssemblyAI
import BlurtTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct APIKeyValidatorTests {
  @Test("T-97 a blank key is invalid without a request")
  func blank() async {
    let transport = FakeHTTPTransport(json: "{}")
    #expect(await APIKeyValidator(transport: transport, userAgent: "Blurt").validate(" \n") == .invalid)
    #expect(transport.requests.isEmpty)
  }

  @Test("T-09 T-16 the key is asked about on the API's own host, with key and User-Agent")
  func request() async throws {
    let transport = FakeHTTPTransport(json: "{}")
    #expect(await APIKeyValidator(transport: transport, userAgent: "Blurt/1").validate(" k3y ") == .valid)
    let request = try #require(transport.requests.first)
    #expect(request.method == "GET")
    #expect(request.url == "https://api.assemblyai.com/v2/transcript?limit=1")
    #expect(request.header("Authorization") == "k3y")
    #expect(request.header("User-Agent") == "Blurt/1")
  }

  @Test(
    "T-98 T-99 T-100 2xx is valid; 400, 401, 403 and 422 are invalid; all else was not checked",
    arguments: [
      (200, .valid), (204, .valid), (400, .invalid), (401, .invalid), (403, .invalid), (422, .invalid),
      (302, .unreachable), (404, .unreachable), (405, .unreachable), (408, .unreachable), (410, .unreachable),
      (429, .unreachable), (451, .unreachable), (500, .unreachable), (503, .unreachable),
    ] as [(Int, APIKeyValidator.Verdict)])
  func status(status: Int, verdict: APIKeyValidator.Verdict) async {
    let transport = FakeHTTPTransport(status: status, json: "{}")
    #expect(await APIKeyValidator(transport: transport, userAgent: "Blurt").validate("k") == verdict)
  }

  @Test("T-100 a network error means that the key was not checked")
  func networkError() async {
    let transport = FakeHTTPTransport([.fail(HTTPTransportError(code: 6, message: "no"))])
    #expect(await APIKeyValidator(transport: transport, userAgent: "Blurt").validate("k") == .unreachable)
  }
}
