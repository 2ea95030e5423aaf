import BlurtEngine
import FoundationEssentials
import Testing

@Suite("Settings") struct SettingsTests {
  private struct Backing: SettingsBacking {
    var values: [String: SettingValue]
    func value(forKey key: String) -> SettingValue? { values[key] }
  }

  private func settings(_ values: [String: SettingValue] = [:]) -> Settings {
    Settings(backing: Backing(values: values))
  }

  @Test("P-02 the raw values of the roster are unique")
  func roster() {
    #expect(Set(SettingsKey.allCases.map(\.rawValue)).count == SettingsKey.allCases.count)
  }

  @Test("P-01 the stored key is the prefix and the raw value")
  func names() {
    #expect(SettingsKey.triggerKeyCode.name() == "BlurtTriggerKeyCode")
    #expect(SettingsKey.engineKind.name(prefix: "Other") == "OtherEngineKind")
  }

  @Test("P-03 everything unset reads as its default")
  func defaults() {
    let unset = settings()
    #expect(unset.triggerKey == nil)
    #expect(unset.triggerActivation == nil)
    #expect(unset.microphone == "default")
    #expect(unset.engine == nil)
    #expect(unset.fallsBackToOffline)
    #expect(unset.offlineIdleMinutes == 10)
    #expect(!unset.staysLocal)
    #expect(unset.origin == nil)
    #expect(unset.enhancedTranscripts)
    #expect(!unset.usesSmartRewrite)
    #expect(unset.keyTerms == [])
    #expect(unset.keepsAudio)
    #expect(unset.listens)
    #expect(unset.listeningMinutes == 0)
  }

  @Test("a value survives being written and read as JSON")
  func coding() throws {
    let values: [String: SettingValue] = ["a": .bool(true), "b": .number(2.5), "c": .string("x")]
    let data = try JSONEncoder().encode(values)
    #expect(try JSONDecoder().decode([String: SettingValue].self, from: data) == values)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(SettingValue.self, from: Data("[1]".utf8)) }
  }

  @Test("stored values are read")
  func stored() {
    let all = settings([
      "BlurtTriggerKeyCode": .number(100), "BlurtTriggerActivation": .string("Hold"),
      "BlurtMicDeviceUID": .string(" hw:2 "), "BlurtEngineKind": .string("offline"),
      "BlurtFallbackEngine": .string("none"), "BlurtOfflineIdleMinutes": .number(0), "BlurtStayLocal": .bool(true),
      "BlurtOrigin": .string("https://eu.example"), "BlurtEnhancedTranscripts": .bool(false),
      "BlurtRewriteMode": .string("Smart"), "BlurtKeepAudio": .bool(false),
    ])
    #expect(all.triggerKey == .number(100))
    #expect(all.triggerActivation == "Hold")
    #expect(all.microphone == "hw:2")
    #expect(all.engine == .offline)
    #expect(!all.fallsBackToOffline)
    #expect(all.offlineIdleMinutes == 0)
    #expect(all.staysLocal)
    #expect(all.origin == "https://eu.example")
    #expect(!all.enhancedTranscripts)
    #expect(all.usesSmartRewrite)
    #expect(!all.keepsAudio)
  }

  @Test("P-07 a value of the wrong type reads as the default")
  func wrongTypes() {
    let wrong = settings([
      "BlurtEngineKind": .bool(true), "BlurtKeepAudio": .string("false"), "BlurtOfflineIdleMinutes": .number(-1),
      "BlurtMicDeviceUID": .string("  "), "BlurtFallbackEngine": .number(0),
    ])
    #expect(wrong.engine == nil)
    #expect(wrong.keepsAudio)
    #expect(wrong.offlineIdleMinutes == 10)
    #expect(wrong.microphone == "default")
    #expect(wrong.fallsBackToOffline)
    #expect(settings(["BlurtFallbackEngine": .string("rubbish")]).fallsBackToOffline)
  }

  @Test(
    "P-18 key terms are split at commas, trimmed, and a repeat in other case is dropped",
    arguments: [
      ("Kubernetes, blurt ,kubernetes", ["Kubernetes", "blurt"]), (" , ,", []),
      ("two words,one", ["two words", "one"]),
      ("", []),
    ])
  func keyTerms(text: String, terms: [String]) {
    #expect(Settings.parseKeyTerms(text) == terms)
    #expect(settings(["BlurtKeyTerms": .string(text)]).keyTerms == terms)
  }
}
