import BlurtEngine
import Testing

@Suite struct APIKeyDisplayTests {
  @Test(
    "P-74 T-105 without a key: not connected, in prose, and what connects", arguments: [nil, "", " \n"] as [String?])
  func absent(key: String?) {
    let display = APIKeyDisplay(key: key)
    #expect(!display.isConnected && display.text == "not connected" && display.style == .prose)
    #expect(display.action == .connect)
  }

  @Test("T-106 of a key under eight characters nothing is shown")
  func short() {
    let display = APIKeyDisplay(key: " 1234567 ")
    #expect(display.isConnected && display.text == "connected" && display.style == .prose)
    #expect(display.spokenText == "connected" && display.action == .change)
  }

  @Test("T-107 T-108 from eight characters on the last four are shown after four bullets, and spoken alone")
  func masked() {
    let display = APIKeyDisplay(key: "12345678")
    #expect(display.text == "••••5678" && display.style == .identifier && display.action == .change)
    #expect(display.spokenText == "ends in 5678" && !display.spokenText.contains("•"))
    #expect(APIKeyDisplay.tailLength == 4 && APIKeyDisplay.minimumLengthToMask == 8)
  }
}
