import AssemblyAI
import BlurtEngine
import BlurtTestSupport
import Testing

/// Styles and shortcuts from the stores, through a session and into a request.
@Suite(.timeLimit(.minutes(1))) struct StylesAndShortcutsSessionTests {
  private static let secret = "ann@example.org"

  private func settings() -> MemorySettings {
    MemorySettings([
      "BlurtStyleProfiles": .list([
        .object(["id": .string("mail"), "name": .string("Mail"), "instructions": .string("Be formal.")]),
        .object(["id": .string("chat"), "name": .string("Chat"), "instructions": .string("Be brief.")]),
      ]),
      "BlurtTextShortcuts": .list([
        .object(["trigger": .string("my mail"), "expansion": .string(Self.secret)]),
        .object(["trigger": .string("nothing"), "expansion": .string("\u{200B} x")]),
      ]),
    ])
  }

  private func rig(_ backing: MemorySettings) -> SessionRig {
    let (styles, settings) = (StyleProfileStore(backing: backing), Settings(backing: backing))
    return SessionRig {
      $0.style = { _ in styles.dictationStyle(isEnhanced: settings.enhancedTranscripts) }
      $0.expandShortcuts = { TextShortcutExpander(TextShortcutStore(backing: backing).shortcuts).expand($0) }
    }
  }

  @Test("P-46 S-71 S-72 expansion comes before the blank check, the history and the paste")
  func order() async {
    let rig = rig(settings())
    rig.transcriber.script { $0.text = "My mail. " }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.injector.inserts.map(\.text) == [Self.secret + " "])
    #expect(rig.deliveries.value.map(\.text) == [Self.secret])
    #expect(await rig.session.recentDictations.map(\.shownText) == [Self.secret + " "])
    #expect(await rig.session.recentDictations.map(\.spokenText) == ["My mail. "])
    rig.transcriber.script { $0.text = " \n" }
    #expect(await rig.dictate() == .idle)
  }

  @Test("P-45 S-96 neither the next context nor the log line knows an expansion")
  func staysHere() async throws {
    let rig = rig(settings())
    rig.keyTerms.value = ["Kubernetes"]
    rig.transcriber.script { $0.text = "Write to my mail." }
    await rig.dictate()
    await rig.dictate()
    let context = try #require(rig.transcriber.calls.last?.context)
    #expect(context.recentTranscripts == ["Write to my mail."])
    #expect(context.keyTerms == ["Kubernetes"])
    #expect(!"\(context)".contains(Self.secret))
    #expect(rig.logged.value.map(\.transcript.text) == ["Write to my mail.", "Write to my mail."])
  }

  @Test(
    "P-04 P-37 P-38 S-94 the style is read at each press; its name is absent while rewriting is off, its words are not")
  func styles() async {
    let backing = settings()
    let rig = rig(backing)
    await rig.dictate()
    backing.put(.string("chat"), forKey: "BlurtActiveStyleProfile")
    await rig.dictate()
    backing.put(.bool(false), forKey: "BlurtEnhancedTranscripts")
    await rig.dictate()
    backing.put(.string("default"), forKey: "BlurtActiveStyleProfile")
    await rig.dictate()
    #expect(
      rig.transcriber.calls.map { $0.context?.styleInstructions } == ["Be formal.", "Be brief.", "Be brief.", nil])
    #expect(await rig.session.recentDictations.reversed().map(\.style) == ["Mail", "Chat", nil, nil])
  }

  @Test("P-45 P-52 T-55 a request ends with the style, and has the trigger where the field had the expansion")
  func request() async throws {
    let backing = settings()
    let transport = FakeHTTPTransport([.respond(HTTPResponse(json: #"{"text":"hi"}"#))])
    let transcriber = AssemblyAITranscriber(
      transport: transport,
      settings: .init(
        apiKey: { "k" }, baseURL: { "http://x.test" }, userAgent: { "Blurt/1" },
        redactPriorText: { TextShortcutRedactor(TextShortcutStore(backing: backing).shortcuts).redact($0) }))
    let speaker = TranscriptionFixtures.Speaker()
    speaker.say(6_400)
    speaker.stop()
    let style = StyleProfileStore(backing: backing).dictationStyle(isEnhanced: true)
    _ = try await transcriber.transcribe(
      speaker.feed, sampleRate: 16_000,
      context: TranscriptionContext(
        priorText: "example.org or \(Self.secret) ", styleInstructions: style?.instructions))
    let body = String(decoding: try #require(transport.requests.first).body, as: UTF8.self)
    #expect(body.contains(#""stt_prompt":"my mail or my mail""#))
    #expect(!body.contains("example.org"))
    #expect(body.contains(#"Be formal.""#))
  }
}
