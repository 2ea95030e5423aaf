import BlurtEngine
import FoundationEssentials
import Testing

@Suite("Settings") struct SettingsTests {
  private func settings(_ values: [String: SettingValue] = [:]) -> Settings {
    Settings(backing: MemoryBacking(values))
  }

  @Test("P-02 the raw values of the roster are unique")
  func roster() {
    #expect(Set(SettingsKey.allCases.map(\.rawValue)).count == SettingsKey.allCases.count)
  }

  @Test("P-01 the stored key is the prefix and the raw value")
  func names() {
    #expect(SettingsKey.triggerKeyCode.name() == "BlurtTriggerKeyCode")
    #expect(SettingsKey.engineKind.name(prefix: "Other") == "OtherEngineKind")
    let other = Settings(backing: MemoryBacking(["OtherKeepAudio": .bool(false)]), prefix: "Other")
    #expect(!other.keepsAudio)
  }

  @Test("P-01 P-11…P-25 the names that installed users have are these, letter by letter")
  func contract() {
    let names = Set(SettingsKey.allCases.map { $0.name() })
    let promised: Set<String> = [
      "BlurtTriggerKeyCode", "BlurtSoundPack", "BlurtTriggerKeySounds", "BlurtKeyTerms", "BlurtDeveloperMode",
      "BlurtEnhancedTranscripts", "BlurtStyleProfiles", "BlurtActiveStyleProfile", "BlurtCustomStyle",
      "BlurtOverlayCustomOriginX", "BlurtOverlayCustomOriginY", "BlurtTextShortcuts", "BlurtTriggerActivation",
      "BlurtTriggerKeyStyles", "BlurtRewriteMode", "BlurtMicDeviceUID", "BlurtOrigin",
    ]
    let own: Set<String> = [
      "BlurtEngineKind", "BlurtFallbackEngine", "BlurtOfflineIdleMinutes", "BlurtStayLocal", "BlurtKeepAudio",
      "BlurtSpoolMaximumMiB", "BlurtSpoolMaximumCount", "BlurtSpoolMaximumHours", "BlurtPasteChords",
      "BlurtEngineCommand", "BlurtEngineCommandSeconds", "BlurtListening", "BlurtListeningMinutes",
      "BlurtOpenAILanguage", "BlurtOpenAIModel", "BlurtOpenAIOrigin", "BlurtPauseMedia", "BlurtFieldContext",
      "BlurtHideFromHistories",
    ]
    #expect(names == promised.union(own))
  }

  @Test("P-26 P-27 P-28 what a program notes for itself and the API key are no settings")
  func outsideTheRoster() {
    for name in ["BlurtAPIKey", "BlurtApiKey", "BlurtSigningIdentity", "SULastCheckTime", "BlurtUpdaterLastCheck", ""] {
      #expect(SettingsKey(named: name) == nil)
    }
  }

  @Test("a name is known in any case, with and without the prefix")
  func spelling() {
    for name in ["BlurtKeyTerms", "blurtkeyterms", "KeyTerms", "KEYTERMS", " keyterms "] {
      #expect(SettingsKey(named: name) == .keyTerms)
    }
    #expect(SettingsKey(named: "BlurtBlurtKeyTerms") == nil)
    #expect(SettingsKey(named: "Blurt") == nil)
    #expect(SettingsKey(named: "OtherKeyTerms", prefix: "Other") == .keyTerms)
    #expect(SettingsKey(named: "BlurtKeyTerms", prefix: "Other") == nil)
  }

  @Test("P-03 P-11 P-12 P-14 P-15 P-16 P-21 P-23 P-24 P-25 everything unset reads as its default")
  func defaults() {
    let unset = settings()
    #expect(unset.triggerKeys.dictationKey?.code == 97)
    #expect(unset.triggerKeys.mode == .tapOrHold)
    #expect(unset.listens)
    #expect(unset.listeningMinutes == 0)
    #expect(unset.microphone == "default")
    #expect(unset.soundPack == nil)
    #expect(unset.engine == nil)
    #expect(unset.fallsBackToOffline)
    #expect(unset.offlineIdleMinutes == 10)
    #expect(!unset.staysLocal)
    #expect(unset.origin == "https://dictation.assemblyai.com")
    #expect(unset.enhancedTranscripts)
    #expect(!unset.usesSmartRewrite)
    #expect(unset.keyTerms == [])
    #expect(unset.pasteChords == [:])
    #expect(unset.hidesFromHistories)
    #expect(unset.keepsAudio)
    #expect(unset.spoolMaximumMiB == 256)
    #expect(unset.spoolMaximumCount == 20)
    #expect(unset.spoolMaximumHours == 24)
    #expect(!unset.developerMode)
  }

  @Test("a value survives being written and read as JSON")
  func coding() throws {
    let values: [String: SettingValue] = [
      "a": .bool(true), "b": .number(2.5), "c": .string("x"), "d": .list([.number(1)]),
      "e": .object(["f": .bool(false)]),
    ]
    let data = try JSONEncoder().encode(values)
    #expect(try JSONDecoder().decode([String: SettingValue].self, from: data) == values)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(SettingValue.self, from: Data("[null]".utf8)) }
  }

  @Test("stored values are read")
  func stored() {
    let all = settings([
      "BlurtTriggerKeyCode": .number(100), "BlurtTriggerActivation": .string("Hold"), "BlurtListening": .bool(false),
      "BlurtListeningMinutes": .number(15), "BlurtMicDeviceUID": .string(" hw:2 "),
      "BlurtSoundPack": .string(" chime "), "BlurtEngineKind": .string("offline"),
      "BlurtFallbackEngine": .string("none"), "BlurtOfflineIdleMinutes": .number(0), "BlurtStayLocal": .bool(true),
      "BlurtOrigin": .string(" HTTPS://eu.example/v1/ "), "BlurtEnhancedTranscripts": .bool(false),
      "BlurtRewriteMode": .string("Smart"), "BlurtKeyTerms": .string("a,b"),
      "BlurtPasteChords": .object(["emacs": .string("ctrl+y")]), "BlurtHideFromHistories": .bool(false),
      "BlurtKeepAudio": .bool(false),
      "BlurtSpoolMaximumMiB": .number(1.5), "BlurtSpoolMaximumCount": .number(3),
      "BlurtSpoolMaximumHours": .number(0.5), "BlurtDeveloperMode": .bool(true),
    ])
    #expect(all.triggerKeys.dictationKey == .rightAlt)
    #expect(all.triggerKeys.mode == .hold)
    #expect(!all.listens)
    #expect(all.listeningMinutes == 15)
    #expect(all.microphone == "hw:2")
    #expect(all.soundPack == "chime")
    #expect(all.engine == .offline)
    #expect(!all.fallsBackToOffline)
    #expect(all.offlineIdleMinutes == 0)
    #expect(all.staysLocal)
    #expect(all.origin == "https://eu.example/v1")
    #expect(!all.enhancedTranscripts)
    #expect(all.usesSmartRewrite)
    #expect(all.keyTerms == ["a", "b"])
    #expect(all.pasteChords == ["emacs": "ctrl+y"])
    #expect(!all.hidesFromHistories)
    #expect(!all.keepsAudio)
    #expect(all.spoolMaximumMiB == 1.5)
    #expect(all.spoolMaximumCount == 3)
    #expect(all.spoolMaximumHours == 0.5)
    #expect(all.developerMode)
  }

  @Test("P-04 an edit is seen by the next reading, without a new store")
  func live() throws {
    let backing = MemoryBacking()
    let store = KeyTermsStore(backing: backing)
    let settings = Settings(backing: backing)
    #expect(store.current == [])
    try backing.store(.string("Blurt"), forKey: "BlurtKeyTerms")
    #expect(store.current == ["Blurt"])
    #expect(settings.keyTerms == ["Blurt"])
    try backing.store(nil, forKey: "BlurtKeyTerms")
    #expect(store.current == [])
  }

  @Test("P-07 P-03 a value of the wrong type reads as the default, for every setting and every type")
  func wrongTypes() {
    let values: [SettingValue] = [.bool(true), .number(1), .string("x y"), .list([]), .object([:])]
    for row in SettingsCatalogue.rows {
      // A code is a key as well as a name is.
      for value in values where value.type != row.type && !(row.key == .triggerKeyCode && value.type == .number) {
        let reading = row.read(value)
        #expect(reading.value == (row.key == .stayLocal ? .bool(true) : row.defaultValue), "\(row.key) \(value)")
        #expect(reading.problem?.hasSuffix(".") == true, "\(row.key) \(value)")
      }
    }
    let wrong = settings([
      "BlurtEngineKind": .bool(true), "BlurtKeepAudio": .string("false"), "BlurtOfflineIdleMinutes": .number(-1),
      "BlurtMicDeviceUID": .string("  "), "BlurtFallbackEngine": .number(0), "BlurtEnhancedTranscripts": .number(0),
      "BlurtTriggerKeyCode": .bool(true), "BlurtSpoolMaximumCount": .number(2.5),
      "BlurtListeningMinutes": .number(.infinity),
    ])
    #expect(wrong.engine == nil)
    #expect(wrong.keepsAudio)
    #expect(wrong.offlineIdleMinutes == 10)
    #expect(wrong.microphone == "default")
    #expect(wrong.fallsBackToOffline)
    #expect(wrong.enhancedTranscripts)
    #expect(wrong.triggerKeys.dictationKey == .default)
    #expect(wrong.spoolMaximumCount == 20)
    #expect(wrong.listeningMinutes == 0)
    #expect(settings(["BlurtFallbackEngine": .string("rubbish")]).fallsBackToOffline)
    #expect(settings(["BlurtOrigin": .string("ftp://x")]).origin == "https://dictation.assemblyai.com")
  }

  @Test("P-16 absent is not false: enhanced transcripts are on until they are turned off")
  func enhanced() {
    #expect(EnhancedTranscriptsStore(backing: MemoryBacking()).current)
    #expect(
      !EnhancedTranscriptsStore(backing: MemoryBacking(["BlurtEnhancedTranscripts": .bool(false)])).current)
  }

  @Test("P-12 the sound pack is the id that is stored, whatever it is, and blank is none")
  func soundPack() {
    #expect(settings(["BlurtSoundPack": .string(" gone ")]).soundPack == "gone")
    #expect(settings(["BlurtSoundPack": .string(" ")]).soundPack == nil)
    #expect(settings(["BlurtSoundPack": .number(1)]).soundPack == nil)
  }

  @Test(
    "P-11 the trigger key is read by its code and by its name",
    arguments: [
      (SettingValue.number(100), 100), (.string("KEY_RIGHTALT"), 100), (.string("rightalt"), 100),
      (.string("100"), 100),
      (.string(" key_f13 "), 183), (.number(30), 97), (.string("KEY_A"), 97), (.number(97.5), 97), (.string(""), 97),
    ])
  func triggerKey(stored: SettingValue, code: Int) {
    #expect(settings(["BlurtTriggerKeyCode": stored]).triggerKeys.dictationKey?.code == code)
  }

  @Test("P-29 text is trimmed, and blank text is none")
  func usableText() {
    #expect(" a b\n".trimmedNonEmpty == "a b")
    #expect(" \t\n\u{00A0}".trimmedNonEmpty == nil)
    #expect(SettingsCatalogue.row(.soundPack).read(.string("  ")) == SettingsCatalogue.row(.soundPack).read(nil))
    #expect(settings(["BlurtEngineKind": .string(" offline ")]).engine == .offline)
  }

  @Test("P-30 a text is cut between user-perceived characters until its bytes fit")
  func bytePrefix() {
    let family = "👨‍👩‍👧"
    #expect(("ab" + family).prefix(maxUTF8Bytes: 2 + family.utf8.count) == "ab" + family)
    #expect(("ab" + family).prefix(maxUTF8Bytes: 1 + family.utf8.count) == "ab")
    #expect("e\u{301}e\u{301}".prefix(maxUTF8Bytes: 5) == "e\u{301}")
    #expect("abc".prefix(maxUTF8Bytes: 0) == "")
    #expect("abc".prefix(maxUTF8Bytes: 9) == "abc")
  }

  @Test(
    "P-18 key terms are split at commas only, trimmed, and a repeat in other case is dropped",
    arguments: [
      ("Kubernetes, blurt ,kubernetes", ["Kubernetes", "blurt"]), (" , ,\n,", []),
      ("two words,one;not two", ["two words", "one;not two"]), ("new\nline, x", ["new\nline", "x"]),
      ("É,é", ["É"]), ("", []),
    ])
  func keyTerms(text: String, terms: [String]) {
    #expect(KeyTermsStore.parse(text) == terms)
    #expect(settings(["BlurtKeyTerms": .string(text)]).keyTerms == terms)
  }

  @Test("P-05 the text of the key terms is stored as it was written, and normalised when it is read")
  func rawText() {
    let row = SettingsCatalogue.row(.keyTerms)
    #expect(row.storing(.string("a, ,A,b")) == .success(.string("a, ,A,b")))
    #expect(row.read(.string("a, ,A,b")).value == .string("a, b"))
    for key in [SettingsKey.developerMode, .enhancedTranscripts] {
      #expect(SettingsCatalogue.row(key).storing(.bool(false)) == .success(.bool(false)))
    }
  }

  @Test("P-03 P-07 in doubt audio stays on this computer: unreadable settings, or a value that is no switch")
  func staysLocalInDoubt() {
    struct Unreadable: SettingsBacking {
      var stored: SettingValue?
      let isUnreadable = true
      func value(forKey key: String) -> SettingValue? { key == "BlurtStayLocal" ? stored : nil }
    }
    #expect(Settings(backing: Unreadable()).staysLocal)
    #expect(Settings(backing: Unreadable(stored: .bool(false))).staysLocal)
    #expect(!Settings(backing: MemoryBacking()).staysLocal)
    for value in SettingFixtures.wrongTypes where value != .bool(true) {
      #expect(settings(["BlurtStayLocal": value]).staysLocal)
    }
    #expect(!settings(["BlurtStayLocal": .bool(false)]).staysLocal)
    #expect(!settings(["BlurtDeveloperMode": .string("yes")]).developerMode)
  }

  @Test("a paste rule whose key is none is refused with what is taken; names that X may know are taken")
  func pasteKeys() {
    let row = SettingsCatalogue.row(.pasteChords)
    for chord in ["bogus", "ctrl+bogus", "f5", "F36", "F0", "U1"] {
      let refusal = row.storing(.object(["x": .string(chord)])).sentence
      #expect(refusal?.contains("never") == true && refusal?.contains("ctrl+shift+v") == true, "\(chord)")
    }
    for chord in ["v", "ctrl+Y", "shift+insert", "F5", "F35", "XF86Paste", "ctrl+Cyrillic_em", "ctrl+U043C", "NEVER"] {
      #expect(row.storing(.object(["x": .string(chord)])).sentence == nil, "\(chord)")
    }
  }

  @Test("a paste rule that cannot be obeyed takes nothing from the others")
  func pasteChords() {
    let chords: SettingValue = .object([
      "keepassxc": .string("never"), "emacs": .string("ctrl+y"), "x": .string("hyper+v"), "y": .number(1),
      " ": .string("ctrl+v"),
    ])
    #expect(settings(["BlurtPasteChords": chords]).pasteChords == ["keepassxc": "never", "emacs": "ctrl+y"])
    let row = SettingsCatalogue.row(.pasteChords)
    #expect(row.read(chords).problem?.hasPrefix("A part of the stored value") == true)
    #expect(throws: SettingRefusal.self) { try row.storing(chords).get() }
  }
}
