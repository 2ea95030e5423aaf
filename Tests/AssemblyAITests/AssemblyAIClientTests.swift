import AssemblyAI
import BlurtTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AssemblyAIClientTests {
  private func client(_ transport: FakeHTTPTransport) -> AssemblyAIClient {
    AssemblyAIClient(transport: transport, baseURL: "http://x.test", apiKey: "k3y", userAgent: "Blurt")
  }

  @Test("T-84 T-88 a status outside 200 to 299 is an error, after one attempt", arguments: [199, 300, 429, 503])
  func httpError(status: Int) async {
    let transport = FakeHTTPTransport(status: status, json: #"{"error":"no, k3y"}"#)
    let expected = AssemblyAIError.http(ServiceFailure(status: status, message: "no, [key]"))
    await #expect(throws: expected) { try await client(transport).transcribeWholeClip(.bytes([1]), boundary: "b") }
    #expect(transport.requests.count == 1)
  }

  @Test("T-61 every 2xx answer is read", arguments: [200, 204, 299])
  func success(status: Int) async throws {
    let transport = FakeHTTPTransport(status: status, json: #"{"text":"a"}"#)
    let response = try await client(transport).transcribeWholeClip(.bytes([1]), boundary: "b")
    #expect(response.text == "a")
  }

  @Test("T-87 a transport failure comes through as it is")
  func transportError() async {
    let error = HTTPTransportError(code: 7, message: "no")
    let transport = FakeHTTPTransport([.fail(error)])
    await #expect(throws: error) { try await client(transport).transcribeWholeClip(.bytes([1]), boundary: "b") }
  }

  @Test("T-11 a warm-up never fails, whatever comes back")
  func warmUp() async {
    let transport = FakeHTTPTransport([
      .fail(HTTPTransportError(code: 6, message: "no")), .respond(HTTPResponse(status: 500)),
    ])
    await client(transport).warmUp()
    await client(transport).warmUp()
    #expect(transport.requests.map(\.url) == ["http://x.test/warm", "http://x.test/warm"])
  }
}
