internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// Asks sway over its socket which windows there are: the one compositor's word on the focus that we understand.
///
/// Each question is a connection of its own, bounded in time and size. Blocks.
struct SwayIPC: Sendable {
  /// What the seat's focus is on.
  enum Focus: Sendable, Hashable {
    /// A window.
    case window(SwayWindow)
    /// An empty workspace.
    case nothing
    /// A launcher, a panel or a screen locker: no window, but it gets the keys.
    case layer
  }

  private struct Node: Decodable {
    struct Properties: Decodable {
      let `class`: String?
      let instance: String?
    }

    let id: UInt64
    let focused: Bool
    let pid: Int32?
    let appID: String?
    let name: String?
    let properties: Properties?
    let nodes: [Node]?
    let floating: [Node]?

    enum CodingKeys: String, CodingKey {
      case id, focused, pid, name, nodes
      case appID = "app_id"
      case properties = "window_properties"
      case floating = "floating_nodes"
    }

    var windows: [SwayWindow] {
      let inside = ((nodes ?? []) + (floating ?? [])).flatMap(\.windows)
      guard let pid, inside.isEmpty else { return inside }
      return [
        SwayWindow(
          id: id, processID: pid, appID: appID ?? properties?.class ?? properties?.instance, title: name,
          isFocused: focused)
      ]
    }
  }

  private struct Seat: Decodable {
    let focus: UInt64
  }

  private enum Kind: UInt32 {
    case command = 0
    case tree = 4
    case seats = 101
  }

  private static let magic = Array("i3-ipc".utf8)
  private static let headerSize = 14
  /// A thousand windows are well below.
  private static let answerLimit = 16 << 20

  let path: String
  let limit: Duration

  /// Every window; nil where sway does not answer.
  func windows() -> [SwayWindow]? { ask(.tree).flatMap(Self.windows(in:)) }

  static func windows(in tree: [UInt8]) -> [SwayWindow]? {
    // A tree that cannot be read is no answer.
    (try? JSONDecoder().decode(Node.self, from: Data(tree)))?.windows
  }

  /// What has the focus; nil where sway does not answer.
  func focus() -> Focus? {
    guard let answer = ask(.seats), let seats = try? JSONDecoder().decode([Seat].self, from: Data(answer)),
      let windows = windows()
    else { return nil }
    // 0 is what sway says while the focus is on no node of its tree.
    guard let focus = seats.first?.focus, focus != 0 else { return .layer }
    return windows.first { $0.id == focus }.map(Focus.window) ?? .nothing
  }

  /// Brings a window to the front; whether sway took the command.
  func raise(_ id: UInt64) -> Bool { ask(.command, "[con_id=\(id)] focus") != nil }

  private func ask(_ kind: Kind, _ payload: String = "") -> [UInt8]? {
    do throws(Errno) {
      let socket = try UnixSocket.connect(to: path, within: limit)
      let text = Array(payload.utf8)
      let numbers: [UInt32] = [UInt32(text.count), kind.rawValue]
      let request = Self.magic + numbers.flatMap { withUnsafeBytes(of: $0, Array.init) } + text
      guard try UnixSocket.send(request[...], to: socket.raw) == request.count else { return nil }
      return try answer(from: socket, kind)
    } catch {
      return nil
    }
  }

  private func answer(from socket: borrowing FileDescriptor, _ kind: Kind) throws(Errno) -> [UInt8]? {
    let deadline = MonotonicClock.now() + limit
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      if bytes.count >= Self.headerSize {
        guard bytes.starts(with: Self.magic) else { return nil }
        let length = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 6, as: UInt32.self) }
        guard length <= Self.answerLimit else { return nil }
        if bytes.count >= Self.headerSize + Int(length) {
          return Array(bytes[Self.headerSize..<(Self.headerSize + Int(length))])
        }
      }
      guard SocketWait.isReadable(socket.raw, until: deadline),
        let count = try UnixSocket.receive(into: &part, from: socket.raw), count > 0
      else { return nil }
      bytes += part[..<count]
    }
  }
}
