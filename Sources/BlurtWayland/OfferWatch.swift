internal import BlurtOS
internal import Glibc

/// Tells who much of what wl-copy offers is read, and when the offer ends.
///
/// wl-copy keeps what it offers in a file of a folder of its own, opens it for each reader, and removes it when somebody
/// else copies: the kernel tells of all three (inotify). Wayland itself tells nobody but the owner. Where the folder cannot
/// be found, as with a later version that keeps it elsewhere, there is no receipt and so no old clipboard back.
final class OfferWatch {
  static let folderPrefix = "wl-copy-buffer-"

  private let inotify: Inotify
  /// Reads under way that began before the keys were sent.
  private var openBefore = 0
  private var openAfter = 0
  private var isCounting = false
  /// When the last read since the keys ended.
  private(set) var lastRead: Duration?
  /// Another program has taken the clipboard.
  private(set) var isOver = false

  /// For `poll`.
  var descriptor: Int32 { inotify.descriptor }

  /// A read since the keys is under way.
  var isBeingRead: Bool { openAfter > 0 }

  private init?(folder: String) {
    do throws(Errno) {
      inotify = Inotify(try Inotify.open())
      _ = try inotify.add(folder, Int(IN_OPEN), Int(IN_CLOSE_NOWRITE), Int(IN_DELETE), Int(IN_DELETE_SELF))
    } catch {
      return nil
    }
  }

  /// The folders of every wl-copy of this user.
  static func folders(in places: [String]) -> Set<String> {
    Set(
      places.flatMap { place in
        FolderListing.names(in: place).filter { $0.hasPrefix(folderPrefix) }.map { "\(place)/\($0)" }
      })
  }

  /// The watch of the offer that has come since and holds these bytes; nil where there is none, or more than one.
  static func find(_ bytes: [UInt8], in places: [String], notIn before: Set<String>) -> OfferWatch? {
    let mine = folders(in: places).subtracting(before).filter { holds($0, bytes) }
    guard mine.count == 1, let folder = mine.first else { return nil }
    return OfferWatch(folder: folder)
  }

  private static func holds(_ folder: String, _ bytes: [UInt8]) -> Bool {
    FolderListing.names(in: folder).contains { name in
      guard !name.hasPrefix("."), let file = try? FileDescriptor.open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW) else {
        return false
      }
      var found: [UInt8] = []
      while let part = (try? file.read(upTo: bytes.count - found.count + 1)) ?? nil, !part.isEmpty {
        found += part
        if found.count > bytes.count { return false }
      }
      return found == bytes
    }
  }

  /// From now on a read counts as an answer to the keys.
  func beginCounting() {
    take()
    isCounting = true
  }

  /// Takes in what has happened.
  func take() {
    for event in inotify.events() {
      if event.has(Int(IN_DELETE), Int(IN_DELETE_SELF), Int(IN_IGNORED)) { isOver = true }
      // An empty name is the folder itself, which the one who looks for it reads.
      guard !event.name.isEmpty else { continue }
      if event.has(Int(IN_OPEN)) {
        if isCounting { openAfter += 1 } else { openBefore += 1 }
      } else if event.has(Int(IN_CLOSE_NOWRITE)) {
        if openBefore > 0 {
          openBefore -= 1
        } else if openAfter > 0 {
          openAfter -= 1
          lastRead = MonotonicClock.now()
        }
      }
    }
  }
}
