package import BlurtEngine
internal import BlurtOS
package import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Keeps each recording in a folder in memory until its text has been delivered, so that no failure loses a word.
///
/// Any thread may call. What goes wrong here is logged and never disturbs a dictation. One spool for each folder and
/// process; a second process sees by the locks which recordings are in progress.
package final class RecordingSpool: RecordingStore {
  private struct Deliveries {
    var isUnread = false
    var held: [@Sendable () -> Void] = []
  }

  let folder: SpoolFolder
  private let settings: @Sendable () -> SpoolSettings
  private let now: @Sendable () -> Date
  /// The recordings of this process that have not ended.
  private let active = Mutex<Set<String>>([])
  /// Recordings that go as soon as the window has read their words.
  private let deliveries = Mutex(Deliveries())
  private let hasReportedFolder = Atomic<Bool>(false)
  /// What a daemon that died had left in state `recording`, found and marked by this start; newest first.
  package let interruptedAtStart: [SpoolRecord]

  /// Opens the folder and marks what a dead process left behind.
  ///
  /// - Parameters:
  ///   - directory: Made, with its parents, if it is not there.
  ///   - settings: Asked at each recording, so that a change counts at once.
  package init(
    directory: String, settings: @escaping @Sendable () -> SpoolSettings = { SpoolSettings() },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    folder = SpoolFolder(path: directory)
    self.settings = settings
    self.now = now
    do {
      try folder.prepare()
      interruptedAtStart = Self.sweep(folder)
    } catch {
      interruptedAtStart = []
      Self.report(error, directory)
      hasReportedFolder.store(true, ordering: .relaxed)
    }
    keepWithinBounds(reserving: 0)
  }

  // MARK: RecordingStore

  package func begin(dictation: UInt64) -> (any KeptRecording)? {
    guard settings().keepsAudio else { return nil }
    do {
      return try open(dictation: dictation)
    } catch {
      // Reported once until it works again: the same full or unwritable folder would fail at each press.
      if !hasReportedFolder.exchange(true, ordering: .relaxed) { Self.report(error, folder.path) }
      return nil
    }
  }

  private func open(dictation: UInt64) throws(Errno) -> SpooledRecording {
    try folder.prepare()
    keepWithinBounds(reserving: 1)
    var startedAt = now()
    while true {
      let id = SpoolID.make(at: startedAt)
      do throws(Errno) {
        let file = try FileDescriptor.open(folder.audioPath(id), O_RDWR | O_CREAT | O_EXCL | O_APPEND)
        _ = try file.tryLock()
        active.withLock { _ = $0.insert(id) }
        let record = SpoolRecord(id: id, dictation: dictation, startedAt: startedAt, state: .recording)
        save(record)
        hasReportedFolder.store(false, ordering: .relaxed)
        return SpooledRecording(record: record, file: file, spool: self)
      } catch {
        guard error.code == EEXIST else { throw error }
        startedAt += 0.001
      }
    }
  }

  // MARK: What is kept

  /// Every recording that is kept or in progress, newest first.
  package func list() -> [SpoolRecord] {
    keepWithinBounds(reserving: 0)
    return folder.entries().reversed().compactMap { record($0.id) }
  }

  /// One recording, as it stands now.
  package func record(_ id: String) -> SpoolRecord? {
    guard SpoolID.date(of: id) != nil, var record = folder.read(id) else { return nil }
    if record.state == .recording { record.byteCount = folder.byteCount(of: id) }
    return record
  }

  /// The sound of a recording: raw 16 kHz mono S16LE.
  package func audioPath(_ id: String) -> String { folder.audioPath(id) }

  /// Removes a recording for good.
  ///
  /// - Returns: false where there is none, or where it is still in progress.
  @discardableResult
  package func remove(_ id: String) -> Bool {
    guard SpoolID.date(of: id) != nil, folder.read(id) != nil else { return false }
    return removeIfFree(id)
  }

  /// Removes every recording that is not in progress, also sound whose record cannot be read.
  ///
  /// - Returns: how many are still there although they should not be.
  package func clear() -> Int {
    for entry in folder.entries() { removeIfFree(entry.id) }
    return folder.entries().count { isFree($0.id) }
  }

  /// Whether a recording is being captured, or sent again, by this process or another.
  package func isInProgress(_ id: String) -> Bool { !isFree(id) }

  /// How many recordings a daemon was writing when it died, and nobody has sent again since.
  package var interruptedCount: Int {
    folder.entries().count { folder.read($0.id)?.state == .interrupted }
  }

  /// Opens a kept recording to send it again. Until that is closed, or dropped, it is in progress.
  ///
  /// - Returns: nil where there is none, or where it is in progress.
  package func reopen(_ id: String) -> ReopenedRecording? {
    // Claimed first: from here on nobody of this process removes it, or changes its record.
    guard SpoolID.date(of: id) != nil, active.withLock({ $0.insert(id).inserted }) else { return nil }
    do throws(Errno) {
      let file = try FileDescriptor.open(folder.audioPath(id), O_RDONLY)
      if try file.tryLock(), let record = record(id) {
        return ReopenedRecording(record: record, byteCount: folder.byteCount(of: id), file: file, spool: self)
      }
    } catch {
      if error.code != ENOENT {
        Log.warning("kept recording cannot be opened", ["id": id, "reason": "\(error)"])
      }
    }
    release(id)
    return nil
  }

  /// Tells whether the words of the last paste have still to be read by their window. Until they are, a recording that was
  /// delivered stays in progress: if the daemon dies before that, the next one finds it interrupted.
  package func deliveryIsUnread(_ isUnread: Bool) {
    let held = deliveries.withLock { deliveries in
      deliveries.isUnread = isUnread
      guard !isUnread else { return [@Sendable () -> Void]() }
      defer { deliveries.held = [] }
      return deliveries.held
    }
    for finish in held { finish() }
  }

  // MARK: For the recordings themselves

  /// Keeps the end of a delivered recording back while its words are unread. False where they are not.
  func hold(_ finish: @escaping @Sendable () -> Void) -> Bool {
    deliveries.withLock { deliveries in
      if deliveries.isUnread { deliveries.held.append(finish) }
      return deliveries.isUnread
    }
  }

  /// Writes a record; a failure is logged.
  func save(_ record: SpoolRecord) {
    do { try folder.write(record) } catch {
      Log.warning("record of a kept recording not written", ["id": record.id, "reason": "\(error)"])
    }
  }

  /// A recording has ended and stays.
  func settle(_ record: SpoolRecord) {
    var record = record
    record.byteCount = folder.byteCount(of: record.id)
    if record.byteCount == 0 { return discard(record.id) }
    save(record)
    release(record.id)
    keepWithinBounds(reserving: 0)
  }

  /// A recording has ended and goes.
  func discard(_ id: String) {
    folder.remove(id)
    release(id)
  }

  /// A recording is no longer in progress.
  func release(_ id: String) { active.withLock { _ = $0.remove(id) } }

  /// A delivery lets go of the recordings that an earlier fallback had left.
  func removeDelivered() {
    for entry in folder.entries() where folder.read(entry.id)?.state == .delivered { remove(entry.id) }
  }

  /// Removes the oldest recording that is not in progress.
  ///
  /// - Returns: false where there was none.
  func giveWay(to id: String) -> Bool {
    guard let oldest = folder.entries().first(where: { $0.id != id && $0.byteCount > 0 && removeIfFree($0.id) }) else {
      return false
    }
    Log.warning("kept recording removed for want of room", ["id": oldest.id])
    return true
  }

  // MARK: Bounds

  private func isFree(_ id: String) -> Bool {
    active.withLock { !$0.contains(id) && !folder.isLocked(id) }
  }

  /// Removes a recording that is not in progress. In one step, so that nobody takes it up in between.
  @discardableResult
  private func removeIfFree(_ id: String) -> Bool {
    active.withLock { active in
      guard !active.contains(id), !folder.isLocked(id) else { return false }
      folder.remove(id)
      return true
    }
  }

  /// Removes what is too old, too many or too much, oldest first, never one in progress.
  private func keepWithinBounds(reserving newCount: Int) {
    let bounds = settings()
    let entries = folder.entries()
    var count = entries.count + newCount
    var byteCount = entries.reduce(0) { $0 + $1.byteCount }
    let oldest = now() - bounds.maximumAge / .seconds(1)
    for entry in entries {
      let isTooOld = SpoolID.date(of: entry.id).map { $0 < oldest } ?? true
      guard isTooOld || count > bounds.maximumCount || byteCount > bounds.maximumByteCount else { continue }
      guard removeIfFree(entry.id) else { continue }
      Log.notice("kept recording removed by its bounds", ["id": entry.id, "byteCount": "\(entry.byteCount)"])
      count -= 1
      byteCount -= entry.byteCount
    }
  }

  /// Marks what a dead process left, and clears away what is of no use.
  private static func sweep(_ folder: SpoolFolder) -> [SpoolRecord] {
    let entries = folder.entries()
    let known = Set(entries.map(\.id))
    for name in folder.names() where name.hasSuffix(".json") {
      let id = String(name.dropFirst(name.hasPrefix(".") ? 1 : 0).dropLast(5))
      guard SpoolID.date(of: id) != nil else { continue }
      // A record without sound, or one that was never put in place.
      if name.hasPrefix(".") || !known.contains(id) { unlink("\(folder.path)/\(name)") }
    }
    var interrupted: [SpoolRecord] = []
    for entry in entries.reversed() where !folder.isLocked(entry.id) {
      // Sound without a readable record: whoever wrote it died before, or could not write, the record.
      var record =
        folder.read(entry.id)
        ?? SpoolRecord(
          id: entry.id, dictation: 0, startedAt: SpoolID.date(of: entry.id) ?? Date(), state: .recording)
      guard record.state == .recording else { continue }
      if entry.byteCount == 0 {
        folder.remove(entry.id)
        continue
      }
      record.state = .interrupted
      record.byteCount = entry.byteCount
      do { try folder.write(record) } catch {
        Log.warning("interrupted recording not marked", ["id": entry.id, "reason": "\(error)"])
      }
      interrupted.append(record)
    }
    return interrupted
  }

  private static func report(_ error: Errno, _ path: String) {
    Log.error(
      "recordings are not kept: make the folder writable, or turn keeping off with BlurtKeepAudio",
      ["folder": path, "reason": "\(error)"])
  }
}
