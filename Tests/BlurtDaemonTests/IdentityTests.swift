import BlurtContract
import BlurtDaemon
import BlurtEngine
import BlurtIPC
import FoundationEssentials
import Testing

@Suite("Identity") struct IdentityTests {
  /// Every place that the paths name.
  private func places(_ paths: DaemonPaths) -> [String] {
    [
      paths.runtimeFolder, paths.socket, paths.spool, paths.copies, paths.configFolder, paths.settingsFile,
      paths.keyFile,
      paths.logFolder ?? "", paths.readinessRecord,
    ]
  }

  @Test("P-59 P-60 Y-88 two identities of one user share no folder, no socket, no key and no log")
  func apart() throws {
    let folder = try ScratchFolder()
    for extra in [[:], ["XDG_CONFIG_HOME": folder.path + "/c", "XDG_STATE_HOME": folder.path + "/s"]] {
      let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path].merging(extra) { $1 }
      let plain = try DaemonPaths(environment: environment)
      let dev = try DaemonPaths(environment: environment.merging(["BLURT_IDENTITY": "dev"]) { $1 })
      for (one, other) in zip(places(plain), places(dev)) {
        #expect(one.contains("/blurt") && other.contains("/blurt-dev"))
        #expect(one != other)
        // Nor does either lie in the other's folder.
        #expect(!other.hasPrefix(plain.runtimeFolder + "/") && !one.hasPrefix(dev.runtimeFolder + "/"))
      }
      #expect(HostIdentity(plain.identity).keychainService == "blurt")
      #expect(HostIdentity(dev.identity).keychainService == "blurt-dev")
    }
  }

  @Test(
    "P-54 P-55 P-57 P-58 P-60 the engine's names for an installation: settings keys and product are the same in all")
  func host() throws {
    let plain = HostIdentity(.ordinary)
    #expect(plain.productName == "Blurt" && plain.defaultsPrefix == "Blurt")
    #expect(plain.subsystem == "blurtd" && plain.logDirectoryName == "blurt")
    let dev = HostIdentity(try ProductIdentity(name: "dev"))
    #expect(dev.productName == "Blurt" && dev.defaultsPrefix == "Blurt")
    #expect(dev.subsystem == "blurtd-dev" && dev.logDirectoryName == "blurt-dev")
  }

  @Test("P-60 the daemon and its clients look for the socket in the same place", arguments: ["", "dev", "x-1"])
  func sameSocket(name: String) throws {
    let folder = try ScratchFolder()
    let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "BLURT_IDENTITY": name]
    #expect(try DaemonPaths(environment: environment).socket == SocketPath.resolve { environment[$0] })
  }

  @Test("P-60 B-37 an identity that cannot be is a configuration fault that names it, and makes no folder")
  func refused() throws {
    let folder = try ScratchFolder()
    let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "BLURT_IDENTITY": "../other"]
    let problem = #expect(throws: DaemonPaths.Problem.self) { try DaemonPaths(environment: environment) }
    #expect(problem?.description.contains("\"../other\"") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("S-106 P-58 the developer logs lie in the state folder of XDG, else in that of the home folder")
  func logFolder() throws {
    let folder = try ScratchFolder()
    func logs(_ extra: [String: String]) throws -> String? {
      try DaemonPaths(environment: ["XDG_RUNTIME_DIR": folder.path, "BLURT_CONFIG_DIR": "/c"].merging(extra) { $1 })
        .logFolder
    }
    #expect(try logs(["HOME": "/home/a", "XDG_STATE_HOME": "/s"]) == "/s/blurt")
    #expect(try logs(["HOME": "/home/a"]) == "/home/a/.local/state/blurt")
    #expect(try logs(["HOME": "/home/a", "XDG_STATE_HOME": ""]) == "/home/a/.local/state/blurt")
    #expect(try logs(["HOME": "/home/a", "XDG_STATE_HOME": "relative"]) == "/home/a/.local/state/blurt")
    #expect(try logs(["HOME": "/home/a", "BLURT_IDENTITY": "dev"]) == "/home/a/.local/state/blurt-dev")
    #expect(try logs([:]) == nil)
  }
}
