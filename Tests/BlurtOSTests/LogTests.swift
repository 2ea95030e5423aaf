import BlurtOS
import Testing

@Suite("Log") struct LogTests {
  @Test("a line carries the journal's priority, the message and its fields")
  func line() {
    #expect(
      Log.render(.notice, "device opened", ["node": "event3", "keys": "2"]) == "<5>device opened node=event3 keys=2")
  }

  @Test("a value with spaces, quotes or line ends stays one readable field on one line")
  func quoting() {
    #expect(
      Log.render(.error, "failed", ["error": "no \"key\"\nhere", "empty": ""])
        == "<3>failed error=\"no \\\"key\\\"\\nhere\" empty=\"\"")
  }

  @Test(
    "a level is found by its name, and an unknown name is none",
    arguments: [("error", Log.Level.error), ("debug", .debug), ("verbose", nil)])
  func names(name: String, level: Log.Level?) {
    #expect(Log.Level(name: name) == level)
  }
}
