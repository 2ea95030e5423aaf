import BlurtContract
import BlurtIPC
import BlurtTestSupport

/// A server on a socket in a folder of its own, with a stub behind it. `stop` it at the end of the test.
final class ServerRig: Sendable {
  let folder = SocketFolder()
  let handler: StubControlHandler
  let server: ControlServer

  init(handler: StubControlHandler = StubControlHandler(), limits: ServerLimits = ServerLimits()) throws {
    self.handler = handler
    server = try ControlServer(socket: .path(folder.socket), handler: handler, limits: limits)
  }

  func client() throws -> LineClient { try LineClient(folder.socket) }

  /// Broadcasts a phase.
  func phase(_ phase: DictationPhase, _ dictation: UInt64? = nil) {
    server.broadcast(.phase(PhaseEvent(phase: phase, dictation: dictation)))
  }
}

/// Runs the body against a server and stops it, whatever the body does.
func withServer(
  handler: StubControlHandler = StubControlHandler(), limits: ServerLimits = ServerLimits(),
  _ body: (ServerRig) async throws -> Void
) async throws {
  let rig = try ServerRig(handler: handler, limits: limits)
  defer { rig.server.stop() }
  try await body(rig)
}
