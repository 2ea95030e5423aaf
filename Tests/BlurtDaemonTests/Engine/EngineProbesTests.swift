import AssemblyAI
import BlurtContract
import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("doctor on the engines that are the user's own") struct EngineProbesTests {
  private func look(_ probe: DoctorProbe) async -> DoctorCheck { await probe.look(false) }

  private func server(_ address: String?, _ answer: OpenAIServerCheck.Answer) async -> DoctorCheck {
    await look(.openAIServer(isChosen: { true }, address: { address }, ask: { _ in answer }))
  }

  @Test("a server that answers is fine, whatever routes it has; http to another computer is a warning")
  func serverFine() async {
    for answer in [OpenAIServerCheck.Answer.alive, .unknown] {
      #expect(await server("http://127.0.0.1:8000", answer).state == .ok)
      #expect(await server("https://box.lan", answer).state == .ok)
      let warned = await server("http://box.lan:8000", answer)
      #expect(warned.state == .warning && warned.remedy?.isEmpty == false)
    }
  }

  @Test("a server that is away, loading or not set is told with what helps; one that is not chosen is skipped")
  func serverBroken() async {
    #expect(await server("http://127.0.0.1:8000", .notReady(503)).state == .warning)
    for check in [await server("http://127.0.0.1:8000", .unreachable("No connection.")), await server(nil, .alive)] {
      #expect(check.state == .failed && check.remedy?.isEmpty == false)
    }
    let skipped = await look(.openAIServer(isChosen: { false }, address: { nil }, ask: { _ in .alive }))
    #expect(skipped.state == .skipped)
  }

  @Test("the server is asked for its health, then for its models, and 404 on both is no fault")
  func questions() async {
    func answer(_ reactions: [FakeHTTPTransport.Reaction]) async -> (OpenAIServerCheck.Answer, [String]) {
      let transport = FakeHTTPTransport(reactions)
      let answer = await OpenAIServerCheck.look(at: "http://h/v1", transport: transport, userAgent: "B")
      return (answer, transport.requests.map(\.url))
    }
    func status(_ code: Int) -> FakeHTTPTransport.Reaction { .respond(HTTPResponse(status: code)) }
    #expect(await answer([status(200)]) == (.alive, ["http://h/health"]))
    #expect(await answer([status(404), status(200)]) == (.alive, ["http://h/health", "http://h/v1/models"]))
    #expect(await answer([status(404), status(401)]).0 == .alive)
    #expect(await answer([status(404)]).0 == .unknown)
    #expect(await answer([status(503)]).0 == .notReady(503))
    let lost = FakeHTTPTransport.Reaction.fail(HTTPTransportError(code: 7, message: "No connection."))
    #expect(await answer([lost]).0 == .unreachable("No connection."))
  }

  @Test("a program that is missing or not set is told with what helps")
  func program() async {
    func check(_ command: [String], _ path: String?) async -> DoctorCheck {
      await look(.commandProgram(isChosen: { true }, command: { command }, find: { _ in path }))
    }
    #expect(await check(["x"], "/bin/x").state == .ok)
    for broken in [await check(["x"], nil), await check([], nil)] {
      #expect(broken.state == .failed && broken.remedy?.isEmpty == false)
    }
    #expect(await look(.commandProgram(isChosen: { false }, command: { [] }, find: { _ in nil })).state == .skipped)
  }

  @Test("key terms that an engine does not take, or not all of them, are told")
  func keyTerms() async {
    func check(_ engine: EngineKind?, _ terms: [String]) async -> DoctorCheck {
      await look(.keyTerms(engine: { engine }, terms: { terms }))
    }
    for engine in EngineKind.allCases { #expect(await check(engine, []).state == .ok) }
    #expect(await check(.offline, ["a"]).state == .warning)
    for engine in [EngineKind.assemblyai, .openai, .command] { #expect(await check(engine, ["a"]).state == .ok) }
    let many = (0..<90).map { _ in "some term" }
    #expect(await check(.assemblyai, many).state == .ok)
    let cut = await check(.openai, many)
    #expect(cut.state == .warning && cut.message.contains("of 90"))
    #expect(await check(nil, ["a"]).state == .skipped)
  }
}
