import BlurtOffline
import FoundationEssentials
import Testing

@Suite("OfflineInstallation")
struct OfflineInstallationTests {
  @Test("the user's data folder comes first, then the system's")
  func order() {
    let system = ["/usr/local/lib/blurt/offline", "/usr/lib/blurt/offline"]
    #expect(
      OfflineInstallation.candidates(environment: ["HOME": "/home/a"]) == ["/home/a/.local/share/blurt/offline"]
        + system)
    #expect(
      OfflineInstallation.candidates(environment: ["HOME": "/home/a", "XDG_DATA_HOME": "/data"])
        == ["/data/blurt/offline"] + system)
    // The desktop's base folder specification: a relative path is ignored.
    #expect(
      OfflineInstallation.candidates(environment: ["HOME": "/home/a", "XDG_DATA_HOME": "data"]).first
        == "/home/a/.local/share/blurt/offline")
    #expect(OfflineInstallation.candidates(environment: [:]) == system)
  }

  @Test("a folder named by the environment is the only one that counts, and must hold every file")
  func named() throws {
    let engine = try FakeEngine()
    let environment = ["BLURT_OFFLINE_DIR": engine.folder, "HOME": "/home/a"]
    #expect(OfflineInstallation.candidates(environment: environment) == [engine.folder])
    #expect(OfflineInstallation.find(environment: environment) == nil)
    let installation = OfflineInstallation(folder: engine.folder)
    try FileManager.default.createDirectory(atPath: installation.model, withIntermediateDirectories: true)
    for file in installation.files {
      #expect(OfflineInstallation.find(environment: environment) == nil)
      try Data().write(to: URL(filePath: file))
    }
    #expect(OfflineInstallation.find(environment: environment) == installation)
  }
}
