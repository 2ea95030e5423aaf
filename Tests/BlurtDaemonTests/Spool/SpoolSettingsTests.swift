import BlurtDaemon
import BlurtEngine
import Testing

@Suite("SpoolSettings") struct SpoolSettingsTests {
  private struct Backing: SettingsBacking {
    var values: [String: SettingValue] = [:]
    func value(forKey key: String) -> SettingValue? { values[key] }
  }

  @Test("P-03 the bounds of the spool are the settings', and unset those that are documented")
  func bounds() {
    #expect(SpoolSettings(Settings(backing: Backing())) == SpoolSettings())
    let settings = SpoolSettings(
      Settings(
        backing: Backing(values: [
          "BlurtKeepAudio": .bool(false), "BlurtSpoolMaximumMiB": .number(1.5), "BlurtSpoolMaximumCount": .number(3),
          "BlurtSpoolMaximumHours": .number(0.5),
        ])))
    #expect(!settings.keepsAudio)
    #expect(settings.maximumByteCount == 1_572_864)
    #expect(settings.maximumCount == 3)
    #expect(settings.maximumAge == .seconds(1_800))
    // The largest that the table lets through do not overflow.
    let largest = Backing(values: ["BlurtSpoolMaximumMiB": .number(65_536), "BlurtSpoolMaximumCount": .number(1e300)])
    #expect(SpoolSettings(Settings(backing: largest)).maximumByteCount == 65_536 << 20)
    #expect(SpoolSettings(Settings(backing: largest)).maximumCount == 20)
  }
}
