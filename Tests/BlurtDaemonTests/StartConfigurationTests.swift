import BlurtDaemon
import BlurtEngine
import FoundationEssentials
import Glibc
import Testing

@Suite("Start configuration") struct StartConfigurationTests {
  @Test("B-37 an unset or relative runtime folder is a configuration fault with its remedy")
  func runtimeFolder() {
    #expect(throws: DaemonPaths.Problem.runtimeFolderUnset) { try DaemonPaths(environment: ["HOME": "/root"]) }
    #expect(throws: DaemonPaths.Problem.runtimeFolderUnset) {
      try DaemonPaths(environment: ["HOME": "/root", "XDG_RUNTIME_DIR": ""])
    }
    #expect(throws: DaemonPaths.Problem.runtimeFolderNotAbsolute("run")) {
      try DaemonPaths(environment: ["HOME": "/root", "XDG_RUNTIME_DIR": "run"])
    }
    #expect(throws: DaemonPaths.Problem.homeUnset) { try DaemonPaths(environment: ["XDG_RUNTIME_DIR": "/tmp"]) }
    #expect(DaemonPaths.Problem.runtimeFolderUnset.description.contains("systemd user service"))
  }

  @Test("B-37 a runtime folder that is missing, or a file, is refused by name")
  func unusable() throws {
    let folder = try ScratchFolder()
    #expect(throws: DaemonPaths.Problem.self) {
      try DaemonPaths(environment: ["HOME": "/root", "XDG_RUNTIME_DIR": folder.path + "/missing"])
    }
    try folder.write("", to: "blurt")
    #expect(
      throws: DaemonPaths.Problem.runtimeFolderUnusable(path: folder.path + "/blurt", reason: "Not a directory")
    ) {
      try DaemonPaths(environment: ["HOME": "/root", "XDG_RUNTIME_DIR": folder.path])
    }
  }

  @Test("the names that scripts rely on, and what overrides them")
  func names() throws {
    let folder = try ScratchFolder()
    let plain = try DaemonPaths(environment: ["HOME": "/home/a", "XDG_RUNTIME_DIR": folder.path])
    #expect(plain.socket == folder.path + "/blurt/blurtd.sock")
    #expect(plain.spool == folder.path + "/blurt/spool")
    #expect(plain.settingsFile == "/home/a/.config/blurt/settings.json")
    var status = stat()
    #expect(stat(plain.runtimeFolder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let moved = try DaemonPaths(environment: [
      "HOME": "/home/a", "XDG_RUNTIME_DIR": folder.path, "XDG_CONFIG_HOME": "/c", "BLURT_SOCKET": "/s/x.sock",
    ])
    #expect(moved.socket == "/s/x.sock")
    #expect(moved.keyFile == "/c/blurt/api-key")
    let overridden = try DaemonPaths(
      environment: ["HOME": "/home/a", "XDG_RUNTIME_DIR": folder.path, "BLURT_CONFIG_DIR": "/d", "BLURT_SOCKET": "/s"],
      socketOverride: "/t")
    #expect(overridden.socket == "/t")
    #expect(overridden.configFolder == "/d")
  }

  @Test("P-04 P-09 an edit of the settings file is seen by the next reader")
  func liveSettings() throws {
    let folder = try ScratchFolder()
    let file = SettingsFile(path: folder.path + "/settings.json")
    let settings = Settings(backing: file)
    #expect(settings.engine == nil)
    try folder.write(#"{"BlurtEngineKind": "offline", "BlurtKeepAudio": false}"#, to: "settings.json")
    #expect(settings.engine == .offline)
    #expect(settings.keepsAudio == false)
    try folder.write(#"{"BlurtEngineKind": "assemblyai"}"#, to: "settings.json")
    #expect(settings.engine == .assemblyai)
    #expect(settings.keepsAudio == true)
  }

  @Test("P-07 P-10 a broken file and values of the wrong type read as the defaults and are left as they are")
  func brokenSettings() throws {
    let folder = try ScratchFolder()
    let file = SettingsFile(path: folder.path + "/settings.json")
    let settings = Settings(backing: file)
    #expect(file.problem == nil)
    let broken = #"{"BlurtEngineKind": "offl"#
    try folder.write(broken, to: "settings.json")
    #expect(settings.engine == nil)
    #expect(file.problem?.contains(folder.path) == true)
    #expect(try String(contentsOfFile: folder.path + "/settings.json", encoding: .utf8) == broken)
    try folder.write(
      #"{"BlurtEngineKind": 4, "BlurtKeepAudio": "no", "BlurtKeyTerms": ["a"], "BlurtMicDeviceUID": "hw:1"}"#,
      to: "settings.json")
    #expect(settings.engine == nil)
    #expect(settings.keepsAudio == true)
    #expect(settings.keyTerms == [])
    #expect(settings.microphone == "hw:1")
  }

  @Test("the key comes from the credential, then the environment, then the private file")
  func keyOrder() throws {
    let folder = try ScratchFolder()
    try folder.write("from-file\n", to: "api-key")
    let file = folder.path
    #expect(APIKeySource(environment: [:], folder: file).current == "from-file")
    #expect(APIKeySource(environment: ["ASSEMBLYAI_API_KEY": " from-env "], folder: file).current == "from-env")
    #expect(APIKeySource(environment: ["ASSEMBLYAI_API_KEY": "  "], folder: file).current == "from-file")
    try folder.write("from-credential", to: "assemblyai-api-key")
    let both = ["CREDENTIALS_DIRECTORY": folder.path, "ASSEMBLYAI_API_KEY": "from-env"]
    #expect(APIKeySource(environment: both, folder: file).current == "from-credential")
  }

  @Test("S-50 a key saved after the start is seen by the next press")
  func keyAppears() throws {
    let folder = try ScratchFolder()
    let source = APIKeySource(environment: [:], folder: folder.path)
    #expect(source.current == nil)
    try folder.write("now", to: "api-key")
    #expect(source.current == "now")
  }

  @Test("P-76 a key file that others can read is refused with the command that mends it")
  func looseKeyFile() throws {
    let folder = try ScratchFolder()
    try folder.write("secret", to: "api-key", mode: 0o644)
    let source = APIKeySource(environment: [:], folder: folder.path)
    #expect(source.current == nil)
    let problem = try #require(source.problem)
    #expect(problem.description.contains("chmod 600 \(folder.path)/api-key"))
    #expect(!problem.description.contains("secret"))
    try folder.write("secret", to: "api-key", mode: 0o600)
    #expect(source.current == "secret")
    #expect(source.problem == nil)
  }

  @Test("a socket passed to another process is not taken for ours")
  func activation() {
    #expect(SocketActivation.take(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == nil)
    #expect(SocketActivation.take(environment: [:]) == nil)
    #expect(SocketActivation.take(environment: ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"]) == nil)
  }

  @Test("readiness is one datagram with one line of status, to a path or an abstract name")
  func notifier() throws {
    let folder = try ScratchFolder()
    for name in [folder.path + "/notify", "@blurt-test-\(UUID().uuidString)"] {
      let socket = try DatagramListener(name: name)
      ServiceNotifier(environment: ["NOTIFY_SOCKET": name]).ready(status: "no keyboard\nno key")
      #expect(socket.receive() == "READY=1\nSTATUS=no keyboard no key")
    }
    ServiceNotifier(environment: [:]).ready(status: "nobody asked")
  }

  @Test("a service manager that does not read holds nothing up", .timeLimit(.minutes(1)))
  func unreadNotifications() throws {
    let folder = try ScratchFolder()
    let socket = try DatagramListener(name: folder.path + "/notify")
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path + "/notify"])
    // The kernel keeps about ten datagrams for a socket.
    for number in 1...500 { notifier.status("number \(number)") }
    notifier.stopping()
    #expect(socket.receive() == "STATUS=number 1")
    while !socket.receive().isEmpty {}
    // It was dropped, so it is not taken for told.
    notifier.status("number 500")
    #expect(socket.receive() == "STATUS=number 500")
  }

  @Test("a service manager that has been told a status is not woken to be told it again")
  func repeatedStatus() throws {
    let folder = try ScratchFolder()
    let socket = try DatagramListener(name: folder.path + "/notify")
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path + "/notify"])
    notifier.ready(status: "Ready.")
    notifier.status("No keyboard.")
    notifier.status("No keyboard.")
    notifier.status("Ready.")
    let told = (1...4).map { _ in socket.receive() }
    #expect(told == ["READY=1\nSTATUS=Ready.", "STATUS=No keyboard.", "STATUS=Ready.", ""])
  }
}

/// A datagram socket such as the service manager has.
private final class DatagramListener {
  private let socket: Int32

  init(name: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if name.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    try #require(bound == 0)
  }

  deinit { close(socket) }

  func receive() -> String {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }
}
