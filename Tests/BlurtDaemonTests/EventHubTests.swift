import BlurtCapture
import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("EventHub", .timeLimit(.minutes(1))) struct EventHubTests {
  @Test("B-100 B-107 a microphone that goes away ends the recording, and what was heard is pasted")
  func microphoneLost() async {
    let rig = SessionRig()
    let hub = EventHub()
    hub.onMicrophoneLost { [session = rig.session] in session.submit(.release) }
    let dictation = await rig.startRecording()
    rig.microphone.vanish()
    hub.capture(.deviceLost(UnderlyingError(domain: .alsa, code: -19, message: "gone"), byteCount: 0))
    #expect(await rig.probe.waitForEnd(of: dictation) == .pasted)
    hub.capture(.deviceLost(UnderlyingError(domain: .alsa, code: -19, message: "gone"), byteCount: 0))
    #expect(await rig.session.press() == .started)
    await rig.session.cancel()
  }
}
