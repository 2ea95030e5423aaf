import BlurtOffline
import Testing

@Suite("TranscriptCleaner")
struct TranscriptCleanerTests {
  @Test(
    "B-128 markers that nobody spoke are taken out, and what was spoken stays",
    arguments: [
      (["[BLANK_AUDIO]"], ""),
      (["♪♪"], ""),
      ([" Hello there. ", "", "How are you?"], "Hello there. How are you?"),
      (["[MUSIC PLAYING] Hello  [BLANK_AUDIO]world"], "Hello world"),
      (["Use [brackets] and [1] and []."], "Use [brackets] and [1] and []."),
      (["an open [BRACKET"], "an open [BRACKET"),
      (["é 日本語"], "é 日本語"),
    ])
  func clean(lines: [String], text: String) {
    #expect(TranscriptCleaner.clean(lines) == text)
  }
}
