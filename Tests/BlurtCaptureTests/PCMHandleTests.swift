import BlurtEngine
import BlurtOS
import Glibc
import Synchronization
import Testing

@testable import BlurtCapture

/// Opens PCMs on a thread of its own, as the library's error text is kept by thread.
enum PCMProbe {
  /// The error of opening that PCM; nil where it opens.
  static func error(opening name: String) -> ALSAError? {
    onThread {
      do throws(ALSAError) {
        _ = try PCMHandle.open(name)
        return nil
      } catch {
        return error
      }
    }
  }

  /// The transport of that PCM.
  static func transport(of name: String) -> AudioTransport? {
    onThread {
      do throws(ALSAError) {
        let pcm = try PCMHandle.open(name)
        return TransportProbe().transport(of: pcm)
      } catch {
        return nil
      }
    }
  }

  static func sentence(for error: ALSAError) -> String {
    CaptureFailure.cannotOpen(error).underlying?.message ?? ""
  }

  static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value?) -> Value? {
    let value = Mutex<Value?>(nil)
    let thread = try? WorkerThread(name: "pcm-probe") {
      ALSAMessages.catchOnThisThread()
      let result = body()
      value.withLock { $0 = result }
    }
    thread?.join()
    return value.withLock { $0 }
  }
}

@Suite struct ALSAErrorTests {
  @Test(
    "each code is of the kind that a caller would treat alike",
    arguments: [
      (EBUSY, .busy), (EACCES, .denied), (EPERM, .denied), (ENOENT, .missing), (ENODEV, .missing), (EPIPE, .overrun),
      (ESTRPIPE, .suspended), (EIO, .failed), (EINVAL, .failed),
    ] as [(Int32, ALSAError.Kind)])
  func kinds(code: Int32, kind: ALSAError.Kind) {
    #expect(ALSAError(-code, call: "snd_pcm_open", pcm: "x").kind == kind)
  }

  @Test("C-07 the sentence for an absent device names it, the setting and the command that lists devices")
  func missing() {
    let sentence = PCMProbe.sentence(for: ALSAError(-ENOENT, call: "snd_pcm_open", pcm: "usb_mic"))
    for word in ["usb_mic", "BlurtMicDeviceUID", "blurtctl devices"] { #expect(sentence.contains(word)) }
  }

  @Test("a poll time is rounded up, never negative")
  func pollTime() {
    #expect(CaptureWorker.pollTime(.microseconds(1)) == 1)
    #expect(CaptureWorker.pollTime(.milliseconds(20)) == 20)
    #expect(CaptureWorker.pollTime(.seconds(-3)) == 0)
    #expect(CaptureWorker.pollTime(.seconds(1e9)) == 1_000_000)
  }

  @Test("a name that holds a quote is quoted with the other one")
  func plug() {
    #expect(PCMHandle.plug(over: "hw:1,0") == "plug:'hw:1,0'")
    #expect(PCMHandle.plug(over: "x:'y'") == "plug:\"x:'y'\"")
  }
}

@Suite(.enabled(if: ALSARig.isThere, ALSARig.reason), .serialized, .timeLimit(.minutes(1)))
struct PCMHandleTests {
  @Test("what libasound has to say about a failure goes into the error, not to stderr")
  func libraryText() throws {
    let device = try RigDevice(sound: "noise16.raw", "OPENERR=16")
    let error = try #require(PCMProbe.error(opening: device.name))
    #expect(error.detail.contains("rig refuses to open"))
    #expect(error.kind == .busy && error.call == "snd_pcm_open")
  }

  @Test("B-96 an unknown PCM is missing")
  func unknownName() {
    #expect(PCMProbe.error(opening: "no_such_pcm_at_all")?.kind == .missing)
    #expect(PCMProbe.error(opening: "hw:31,0")?.kind == .missing)
  }

  @Test("C-23 a plug-in without a card is of unknown transport, the null device is virtual")
  func transports() throws {
    let device = try RigDevice()
    #expect(PCMProbe.transport(of: device.name) == .unknown)
    #expect(PCMProbe.transport(of: "default") == .unknown)
    #expect(PCMProbe.transport(of: "null") == .virtual)
  }
}
