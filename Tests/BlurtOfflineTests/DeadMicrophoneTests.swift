import BlurtOffline
import Testing

@Suite("DeadMicrophone")
struct DeadMicrophoneTests {
  @Test("all zeros, and noise under −65 dBFS, are a dead microphone")
  func dead() {
    #expect(DeadMicrophone.recorded([Float](repeating: 0, count: 16_000)))
    // −66 dBFS.
    #expect(DeadMicrophone.recorded((0..<16_000).map { $0 % 2 == 0 ? 0.0005 : -0.0005 }))
    #expect(DeadMicrophone.recorded([]))
  }

  @Test("B-130 one frame over −65 dBFS, and speech at −50 dBFS, are not")
  func alive() {
    var samples = [Float](repeating: 0, count: 16_000)
    // −64 dBFS for 20 ms.
    for index in 3_200..<3_520 { samples[index] = 0.00064 }
    #expect(!DeadMicrophone.recorded(samples))
    #expect(!DeadMicrophone.recorded([Float](repeating: 0.00316, count: 16_000)))
  }
}
