internal import AssemblyAI
internal import FoundationEssentials

/// What servers of OpenAI's kind answer: JSON with a `text`, or the text alone.
enum OpenAIResponse {
  /// The words of a 2xx answer; nil where it is neither.
  static func text(_ response: HTTPResponse) -> String? {
    // A byte-order mark is no part of the words.
    let bytes = response.body.starts(with: [0xEF, 0xBB, 0xBF]) ? response.body.dropFirst(3) : response.body[...]
    let body = String(decoding: bytes, as: UTF8.self).trimmingWhitespace()
    if body.hasPrefix("{") || body.hasPrefix("[") && !isMarker(body) {
      guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(bytes)) else { return nil }
      return withoutMarkers(wire.text.trimmingWhitespace())
    }
    // A page: a router's, or one that wants a person to sign in.
    guard !body.hasPrefix("<") else { return nil }
    return withoutMarkers(body)
  }

  /// whisper.cpp's own sign for a recording without words; it is no word.
  private static func withoutMarkers(_ text: String) -> String { isMarker(text) ? "" : text }

  private static func isMarker(_ text: String) -> Bool { text == "[BLANK_AUDIO]" }

  private struct Wire: Decodable {
    let text: String
  }
}
