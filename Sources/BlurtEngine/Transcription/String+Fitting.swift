extension StringProtocol {
  /// The text without white space and line breaks at either end.
  package func trimmingWhitespace() -> String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }

  /// The trimmed text, or nil where nothing is left.
  package var trimmedNonEmpty: String? {
    let trimmed = trimmingWhitespace()
    return trimmed.isEmpty ? nil : trimmed
  }

  /// The longest beginning that takes at most that many UTF-8 bytes and cuts no user-perceived character (T-55).
  package func prefix(maxUTF8Bytes limit: Int) -> String {
    var byteCount = 0
    var end = startIndex
    while end < endIndex {
      let next = index(after: end)
      byteCount += self[end..<next].utf8.count
      if byteCount > limit { break }
      end = next
    }
    return String(self[..<end])
  }
}
