internal import CX11

/// Large data on its way to readers, in pieces (INCR, ICCCM §2.7.2). Confined to the X thread.
///
/// Each transfer keeps its own copy of the data, so that it goes on when the selection has changed hands meanwhile.
final class OutgoingTransfers {
  struct Key: Hashable {
    let window: Window
    let property: Atom
  }

  /// A transfer that is over.
  struct Ended {
    let read: SelectionOwner.Read
    /// The reader took everything.
    let isComplete: Bool
  }

  private struct Transfer {
    let data: ClipboardContents.Representation
    let read: SelectionOwner.Read
    var itemsSent = 0
    /// The empty piece that ends it was sent.
    var isLastSent = false
    var deadline: Duration
  }

  private let display: X11Display
  private let stall: Duration
  private var transfers: [Key: Transfer] = [:]

  init(display: X11Display, stall: Duration) {
    self.display = display
    self.stall = stall
  }

  /// When the slowest reader is given up; nil where there is none.
  var nextDeadline: Duration? { transfers.values.map(\.deadline).min() }

  /// Announces the transfer in the reader's property, which no other transfer may use: see `supersede`. False where it
  /// cannot be: there are too many already.
  func begin(
    _ data: ClipboardContents.Representation, to key: Key, for read: SelectionOwner.Read, now: Duration
  ) -> Bool {
    // What we want to hear about the root window is chosen elsewhere; and nobody reads there.
    guard transfers.count < Self.limit, key.window != display.root else { return false }
    // Before the property is set, or the reader's first deletion might be missed.
    XSelectInput(display.raw, key.window, PropertyChangeMask | StructureNotifyMask)
    let size = UInt(data.itemCount * Int(data.format) / 8)
    display.setProperty(key.window, key.property, type: display.atoms[.incremental], words: [size])
    transfers[key] = Transfer(data: data, read: read, deadline: now + stall)
    return true
  }

  /// The reader asks anew into a property where a transfer still goes on: that one is over. Nil where there is none.
  func supersede(_ key: Key) -> Ended? { end([key]).first }

  /// Readers of large data side by side. No desktop has so many; a program that asks without end must not cost more.
  private static let limit = 256

  /// The reader has taken a piece: sends the next one. Returns the transfer when that was the last.
  func propertyDeleted(_ key: Key, now: Duration) -> Ended? {
    guard var transfer = transfers[key] else { return nil }
    if transfer.isLastSent {
      finish(key)
      return Ended(read: transfer.read, isComplete: true)
    }
    let itemSize = X11Display.Property.itemSize(transfer.data.format)
    let perPiece = max(1, display.largestPiece / max(1, Int(transfer.data.format) / 8))
    let count = min(perPiece, transfer.data.itemCount - transfer.itemsSent)
    transfer.data.bytes.withUnsafeBytes { bytes in
      let piece = UnsafeRawBufferPointer(
        rebasing: bytes[transfer.itemsSent * itemSize..<(transfer.itemsSent + count) * itemSize])
      display.setProperty(
        key.window, key.property, type: transfer.data.type, format: transfer.data.format, bytes: piece,
        itemCount: count)
    }
    transfer.itemsSent += count
    transfer.isLastSent = count == 0
    transfer.deadline = now + stall
    transfers[key] = transfer
    return nil
  }

  /// The reader's window is gone.
  func windowDestroyed(_ window: Window) -> [Ended] {
    end(transfers.keys.filter { $0.window == window })
  }

  /// Gives up the readers that have stopped taking.
  func expire(now: Duration) -> [Ended] {
    end(transfers.filter { $0.value.deadline <= now }.map(\.key))
  }

  private func end(_ keys: [Key]) -> [Ended] {
    keys.compactMap { key in
      guard let transfer = transfers[key] else { return nil }
      finish(key)
      // Data that was all taken counts even if the reader leaves the closing empty piece in place.
      return Ended(read: transfer.read, isComplete: transfer.isLastSent)
    }
  }

  private func finish(_ key: Key) {
    transfers[key] = nil
    if !transfers.keys.contains(where: { $0.window == key.window }) {
      XSelectInput(display.raw, key.window, NoEventMask)
    }
  }
}
