import BlurtIPC
import Testing

@Suite struct SocketPathTests {
  private func resolve(
    _ option: String?, _ environment: [String: String]
  ) throws(SocketPathError) -> String {
    try SocketPath.resolve(option: option) { environment[$0] }
  }

  @Test("S-146 the option wins over BLURT_SOCKET, which wins over the runtime folder")
  func order() throws {
    let all = ["BLURT_SOCKET": "/b/s", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(try resolve("/o/s", all) == "/o/s")
    #expect(try resolve(nil, all) == "/b/s")
    #expect(try resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/blurt/blurtd.sock")
    #expect(try resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/1/"]) == "/run/user/1/blurt/blurtd.sock")
    #expect(try resolve("", ["BLURT_SOCKET": "", "XDG_RUNTIME_DIR": "/r"]) == "/r/blurt/blurtd.sock")
  }

  @Test("P-60 an identity has a socket of its own, which --socket and BLURT_SOCKET override; any other name is refused")
  func identity() throws {
    let dev = ["BLURT_IDENTITY": "dev", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(try resolve(nil, dev) == "/run/user/1/blurt-dev/blurtd.sock")
    #expect(try resolve("/o/s", dev) == "/o/s")
    #expect(try resolve(nil, dev.merging(["BLURT_SOCKET": "/b/s"]) { $1 }) == "/b/s")
    #expect(try resolve(nil, ["BLURT_IDENTITY": "", "XDG_RUNTIME_DIR": "/r"]) == "/r/blurt/blurtd.sock")
    for option in [nil, "/o/s"] {
      let error = #expect(throws: SocketPathError.self) {
        try resolve(option, ["BLURT_IDENTITY": "../x", "XDG_RUNTIME_DIR": "/r"])
      }
      #expect(error?.description.contains("\"../x\"") == true)
    }
  }

  @Test("B-37 without a usable runtime folder there is one error that says what to do")
  func noFolder() {
    #expect(throws: SocketPathError.noRuntimeFolder) { try resolve(nil, [:]) }
    #expect(throws: SocketPathError.noRuntimeFolder) { try resolve(nil, ["XDG_RUNTIME_DIR": ""]) }
    #expect(throws: SocketPathError.relativeRuntimeFolder("run")) { try resolve(nil, ["XDG_RUNTIME_DIR": "run"]) }
    for error in [SocketPathError.noRuntimeFolder, .relativeRuntimeFolder("run"), .tooLong("x")] {
      #expect(error.description.contains(":"))
    }
  }

  @Test("S-146 a path that no socket address holds is refused; the longest that fits is not")
  func tooLong() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(try resolve(longest, [:]) == longest)
    #expect(throws: SocketPathError.tooLong(longest + "x")) { try resolve(longest + "x", [:]) }
  }

  @Test("S-146 a relative path is taken from the working folder")
  func relative() throws {
    let path = try resolve("some.sock", [:])
    #expect(path.hasPrefix("/"))
    #expect(path.hasSuffix("/some.sock"))
  }
}
