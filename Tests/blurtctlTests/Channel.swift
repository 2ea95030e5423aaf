import Foundation
import Synchronization

/// The ends of a pipe, closed with it.
final class Channel: Sendable {
  private let ends: Mutex<(reading: Int32, writing: Int32)>

  init() {
    var made: [Int32] = [-1, -1]
    precondition(pipe(&made) == 0)
    ends = Mutex((made[0], made[1]))
  }

  deinit {
    end()
    stopReading()
  }

  var reading: Int32 { ends.withLock { $0.reading } }
  var writing: Int32 { ends.withLock { $0.writing } }

  func send(_ text: String) { ends.withLock { _ = Glibc.write($0.writing, text, text.utf8.count) } }

  func end() {
    ends.withLock { ends in
      if ends.writing >= 0 { close(ends.writing) }
      ends.writing = -1
    }
  }

  func stopReading() {
    ends.withLock { ends in
      if ends.reading >= 0 { close(ends.reading) }
      ends.reading = -1
    }
  }
}
