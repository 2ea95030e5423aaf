import BlurtEngine
import Testing

@Suite("SettingsCatalogue") struct SettingsCatalogueTests {
  private func refusal(_ key: SettingsKey, _ value: SettingValue) -> String? {
    if case .failure(let refusal) = SettingsCatalogue.row(key).storing(value) { return refusal.reason }
    return nil
  }

  @Test("P-02 every setting of the roster has exactly one row, which describes it")
  func complete() {
    #expect(SettingsCatalogue.rows.map(\.key) == SettingsKey.allCases)
    for row in SettingsCatalogue.rows {
      #expect(SettingsCatalogue.row(row.key).key == row.key)
      #expect(row.summary.hasSuffix(".") && !row.summary.contains("\n") && row.summary.utf8.count <= 100, "\(row.key)")
      #expect(row.range == nil || row.type == .number, "\(row.key)")
      #expect(row.choices.isEmpty || row.type == .string, "\(row.key)")
    }
  }

  @Test("P-03 a default is of its row's type, within its bounds, and its own normalised form")
  func defaults() {
    for row in SettingsCatalogue.rows {
      guard let value = row.defaultValue else { continue }
      #expect(value.type == row.type, "\(row.key)")
      #expect(row.normalise(value) == .success(value), "\(row.key)")
      #expect(throws: Never.self, "\(row.key)") { try row.storing(value).get() }
      // What was stored reads as what was meant.
      if case .success(let stored) = row.storing(value) { #expect(row.read(stored).value == value, "\(row.key)") }
    }
  }

  @Test("P-03 the stores and the table agree on what an unset setting means")
  func agreement() {
    let backing = MemoryBacking()
    let read: [SettingsKey: SettingValue?] = [
      .triggerKeyCode: .string(TriggerKeyStore(backing: backing).current.name),
      .triggerActivation: .string(TriggerActivationStore(backing: backing).current.rawValue),
      .listening: .bool(ListeningStore(backing: backing).current),
      .listeningMinutes: .number(ListeningMinutesStore(backing: backing).current),
      .micDeviceUID: .string(MicDeviceStore(backing: backing).current),
      .soundPack: SoundPackStore(backing: backing).current.map(SettingValue.string),
      .pauseMedia: .bool(PauseMediaStore(backing: backing).current),
      .fieldContext: .bool(FieldContextStore(backing: backing).current),
      .engineKind: (EngineKindStore(backing: backing).current?.rawValue).map(SettingValue.string),
      .fallbackEngine: .string(FallbackEngineStore(backing: backing).current?.rawValue ?? "none"),
      .offlineIdleMinutes: .number(OfflineIdleMinutesStore(backing: backing).current),
      .stayLocal: .bool(StayLocalStore(backing: backing).current),
      .origin: .string(DictationOriginStore(backing: backing).current),
      .enhancedTranscripts: .bool(EnhancedTranscriptsStore(backing: backing).current),
      .rewriteMode: .string(RewriteModeStore(backing: backing).isSmart ? "Smart" : "Fast"),
      .keyTerms: .string(KeyTermsStore(backing: backing).current.joined(separator: ", ")),
      .pasteChords: .object(PasteChordsStore(backing: backing).current.mapValues(SettingValue.string)),
      .hideFromHistories: .bool(HideFromHistoriesStore(backing: backing).current),
      .keepAudio: .bool(KeepAudioStore(backing: backing).current),
      .spoolMaximumMiB: .number(SpoolMaximumMiBStore(backing: backing).current),
      .spoolMaximumCount: .number(Double(SpoolMaximumCountStore(backing: backing).current)),
      .spoolMaximumHours: .number(SpoolMaximumHoursStore(backing: backing).current),
      .developerMode: .bool(DeveloperModeStore(backing: backing).current),
    ]
    for (key, value) in read { #expect(value == SettingsCatalogue.row(key).defaultValue, "\(key)") }
  }

  @Test("H-53 P-11 a key that cannot dictate is refused by its name, and a good one is stored as its code")
  func triggerKey() {
    #expect(refusal(.triggerKeyCode, .string("KEY_BANANA"))?.contains("\"KEY_BANANA\"") == true)
    #expect(refusal(.triggerKeyCode, .string("KEY_A"))?.contains("\"KEY_A\"") == true)
    #expect(refusal(.triggerKeyCode, .number(30))?.hasPrefix("\"30\" writes") == true)
    #expect(refusal(.triggerKeyCode, .number(.nan)) != nil)
    #expect(refusal(.triggerKeyCode, .number(1e300)) != nil)
    #expect(refusal(.triggerKeyCode, .bool(true)) != nil)
    #expect((refusal(.triggerKeyCode, .string(String(repeating: "x", count: 9_999)))?.utf8.count ?? 0) < 200)
    let row = SettingsCatalogue.row(.triggerKeyCode)
    for value in [SettingValue.string("rightalt"), .string("KEY_RIGHTALT"), .number(100), .string("100")] {
      #expect(row.storing(value) == .success(.number(100)))
      #expect(row.normalise(value) == .success(.string("KEY_RIGHTALT")))
    }
  }

  @Test("Y-102 a refused trigger key names the usual choices")
  func refusedKeyNamesChoices() {
    let refused = refusal(.triggerKeyCode, .string("KEY_BANANA")) ?? ""
    for key in TriggerKey.offered { #expect(refused.contains(key.name)) }
  }

  @Test("P-21 an unknown activation reads as TapOrHold and is said to be unusable")
  func activation() {
    let reading = SettingsCatalogue.row(.triggerActivation).read(.string("DoubleTap"))
    #expect(reading.value == .string("TapOrHold"))
    #expect(reading.problem == "The stored value is not used: it must be TapOrHold, Tap or Hold.")
    #expect(SettingsCatalogue.row(.triggerActivation).read(.string("hold")).value == .string("Hold"))
  }

  @Test("P-23 the rewrite mode is one of both modes, in any case")
  func rewriteMode() {
    #expect(SettingsCatalogue.row(.rewriteMode).storing(.string("smart")) == .success(.string("Smart")))
    #expect(refusal(.rewriteMode, .string("brilliant")) == "it must be Fast or Smart")
    #expect(RewriteModeStore(backing: MemoryBacking(["BlurtRewriteMode": .string("brilliant")])).isSmart == false)
  }

  @Test("P-24 a microphone is any name; blank is the system's default")
  func microphone() {
    let row = SettingsCatalogue.row(.micDeviceUID)
    #expect(row.storing(.string(" usb-Blue_Yeti ")) == .success(.string("usb-Blue_Yeti")))
    #expect(row.read(.string("")).value == .string("default"))
    #expect(row.read(.string("")).problem == nil)
    #expect(refusal(.micDeviceUID, .string("a\u{0}b")) != nil)
    #expect(refusal(.micDeviceUID, .string("a\nb")) != nil)
    #expect(refusal(.micDeviceUID, .number(3)) == "it must be text")
  }

  @Test(
    "P-25 an address is http or https with a host, and nothing that could hide another",
    arguments: [
      ("https://dictation.eu.assemblyai.com", "https://dictation.eu.assemblyai.com"),
      (" http://127.0.0.1:8080/ ", "http://127.0.0.1:8080"), ("http://[::1]:80/x//", "http://[::1]:80/x"),
      ("HTTP://LocalHost", "http://LocalHost"), ("HTTPS://Host", "https://Host"),
      ("http://blurt.localhost:1", "http://blurt.localhost:1"), ("http://[::1]", "http://[::1]"), ("http://host", nil),
      ("http://127.0.0.1.evil.example", nil), ("http://localhost.evil", nil), ("http://127.1", nil),
      ("http://127.0.0.256", nil), ("http://127.0.0.01", nil), ("http://10.0.0.1", nil), ("http://[::2]", nil),
      ("http://notlocalhost", nil), ("", "https://dictation.assemblyai.com"), ("ftp://host", nil), ("host", nil),
      ("https://", nil), ("https:///path", nil), ("https://:80", nil), ("https://user:secret@host", nil),
      ("https://host?x", nil), ("https://host#x", nil), ("https://ho st", nil), ("https://host\n", "https://host"),
      ("https://ho\u{7F}st", nil), ("javascript://x", nil), ("https://host\\@evil", nil),
    ] as [(String, String?)])
  func origin(given: String, stored: String?) {
    let result = SettingsCatalogue.row(.origin).storing(.string(given))
    if let stored {
      #expect(result == .success(.string(stored)))
    } else {
      #expect(refusal(.origin, .string(given))?.contains("secret") == false)
    }
  }

  @Test("a number out of its bounds, not finite or not whole is refused with what is taken")
  func numbers() {
    #expect(refusal(.offlineIdleMinutes, .number(-0.5)) == "it must be a number from 0 to 1440 (minutes)")
    for number in [1_441, Double.infinity, -.infinity, .nan] {
      #expect(refusal(.offlineIdleMinutes, .number(number)) != nil)
    }
    #expect(refusal(.offlineIdleMinutes, .number(0)) == nil)
    #expect(refusal(.offlineIdleMinutes, .number(2.5)) == nil)
    #expect(refusal(.offlineIdleMinutes, .string("10")) != nil)
    #expect(
      refusal(.spoolMaximumCount, .number(1.5)) == "it must be a whole number from 1 to 1000 (recordings)")
    #expect(refusal(.spoolMaximumCount, .number(0)) != nil)
    #expect(refusal(.spoolMaximumHours, .number(0)) != nil)
    #expect(refusal(.overlayCustomOriginX, .number(.nan)) != nil)
    #expect(refusal(.overlayCustomOriginX, .number(-40)) == nil)
  }

  @Test("S-118 the listening window closes after a minute or more, or never")
  func listeningMinutes() {
    #expect(refusal(.listeningMinutes, .number(0)) == nil)
    #expect(refusal(.listeningMinutes, .number(1)) == nil)
    #expect(refusal(.listeningMinutes, .number(1_440)) == nil)
    #expect(refusal(.listeningMinutes, .number(0.5)) == "it must be 0 or a number from 1 to 1440 (minutes)")
    #expect(refusal(.listeningMinutes, .number(-1)) != nil)
    #expect(SettingsCatalogue.row(.listeningMinutes).range == 0...1_440)
  }

  @Test("every engine can be chosen, and nothing else")
  func engines() {
    #expect(refusal(.engineKind, .string("whisper")) == "it must be assemblyai, offline, openai or command")
    let row = SettingsCatalogue.row(.engineKind)
    for kind in EngineKind.allCases {
      #expect(row.read(.string(kind.rawValue)).value == .string(kind.rawValue))
      #expect(row.storing(.string(kind.rawValue.uppercased())) == .success(.string(kind.rawValue)))
    }
    #expect(refusal(.fallbackEngine, .string("assemblyai")) == "it must be offline or none")
  }

  @Test("the server of the engine openai is an address, with http to any host; blank is none")
  func openAI() {
    let row = SettingsCatalogue.row(.openAIOrigin)
    #expect(row.storing(.string(" http://box.lan:8000/v1/ ")) == .success(.string("http://box.lan:8000/v1")))
    #expect(row.read(.string("")).value == nil && row.read(nil).value == nil)
    for bad in ["box", "ftp://box", "https://user:secret@box", "https://box?x", "http://"] {
      #expect(refusal(.openAIOrigin, .string(bad))?.contains("secret") == false)
    }
    #expect(SettingsCatalogue.row(.openAIModel).read(.string(" ")).value == .string("whisper-1"))
    #expect(refusal(.openAIModel, .string("a\nb")) != nil)
    #expect(refusal(.openAIModel, .string(String(repeating: "x", count: 201))) != nil)
    #expect(SettingsCatalogue.row(.openAILanguage).storing(.string("EN")) == .success(.string("en")))
    for bad in ["english", "e", "e1", "en-GB"] { #expect(refusal(.openAILanguage, .string(bad)) != nil) }
    let settings = Settings(
      backing: MemoryBacking(["BlurtOpenAIOrigin": .string(""), "BlurtOpenAILanguage": .string("")]))
    #expect(settings.openAIOrigin == nil && settings.openAILanguage == nil && settings.openAIModel == "whisper-1")
  }

  @Test("the program of the engine command is a list of words, never a line for a shell")
  func command() {
    let row = SettingsCatalogue.row(.engineCommand)
    let words = SettingValue.list([.string("/bin/x"), .string(""), .string("a b")])
    #expect(row.storing(words) == .success(words))
    #expect(refusal(.engineCommand, .string("/bin/x | y")) != nil)
    for bad in [
      [SettingValue.string(" ")], [.number(1)], [.string("/bin/x"), .string("a\u{0}")],
      [SettingValue](repeating: .string("x"), count: 65), [.string(String(repeating: "x", count: 16_385))],
    ] { #expect(refusal(.engineCommand, .list(bad)) != nil) }
    let settings = Settings(backing: MemoryBacking(["BlurtEngineCommand": words]))
    #expect(settings.engineCommand == ["/bin/x", "", "a b"] && settings.engineCommandSeconds == 60)
    #expect(refusal(.engineCommandSeconds, .number(0.5)) == "it must be a number from 1 to 1200 (seconds)")
  }

  @Test("P-15 a switch takes true and false and nothing else")
  func switches() {
    #expect(refusal(.developerMode, .string("true")) == "it must be true or false")
    #expect(refusal(.developerMode, .number(1)) != nil)
    #expect(refusal(.developerMode, .bool(true)) == nil)
  }
}
