internal import BlurtContract
package import BlurtEngine
package import BlurtOS
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The settings file, read again whenever it has changed, and written for clients (P-08…P-10).
///
/// Any thread may ask. A look costs one `stat`; a changed file is read once. Neither happens under a lock, so that a slow
/// file system holds up only who asks. While a file is there and cannot be used, what was read before goes on counting, and
/// audio stays here (`isUnreadable`). A broken version is named once in the journal; the first write moves it aside.
package final class SettingsFile: WritableSettingsBacking {
  private struct State {
    /// The number of the last look that began, and of the one whose result counts.
    var begun: UInt64 = 0
    var installed: UInt64 = 0
    /// Goes up whenever the answer to a question may have become another one.
    var generation: UInt64 = 0
    /// The version that was read; nil: look into the file again next time.
    var look: SettingsFileLook?
    /// What counts; nil: nothing was read yet.
    var document: SettingsDocument?
    /// A file was read, or there was none, so that `document` is more than a stopgap.
    var hasRead = false
    var fault: SettingsFileContent.Fault?
    /// The broken version that the journal knows of.
    var reported: SettingsFileLook?
    var onChange: (@Sendable ([String]) -> Void)?
    /// Changes will be told by the watch.
    var isWatched = false
    /// Since when the file looks as if somebody were in the middle of saving it.
    var inTheMakingSince: Duration?

    mutating func begin() -> UInt64 {
      begun += 1
      return begun
    }
  }

  /// How long a file that is broken, empty or gone counts as one in the making, where the watch will tell how it ends.
  static let standardWritingTime: Duration = .seconds(2)

  package let path: String
  private let prefix: String
  private let writingTime: Duration
  private let state = Mutex(State())
  private let watch = Mutex<FileWatch?>(nil)
  /// Held for as long as the file is written, so that writers take turns; readers never take it.
  private let writer: Mutex<SettingsFileWriter>

  package convenience init(path: String, prefix: String = HostIdentity.current.defaultsPrefix) {
    self.init(writer: SettingsFileWriter(path: path), prefix: prefix)
  }

  init(
    writer: SettingsFileWriter, prefix: String = HostIdentity.current.defaultsPrefix,
    writingTime: Duration = standardWritingTime
  ) {
    path = writer.path
    self.prefix = prefix
    self.writingTime = writingTime
    self.writer = Mutex(writer)
  }

  /// Called with the names of the settings whose stored values have changed, whoever changed them; with none where only
  /// the file became usable or broken. On any thread.
  package func onChange(_ handler: @escaping @Sendable ([String]) -> Void) { state.withLock { $0.onChange = handler } }

  // MARK: Reading

  package func value(forKey key: String) -> SettingValue? {
    let document = current()
    switch document[key] {
    case nil, .null?: return nil
    case let stored?:
      if isContradictory(key, in: document) { return .unusable }
      return SettingValue(stored) ?? .unusable
    }
  }

  /// Whether the file is there and cannot be used.
  package var isUnreadable: Bool {
    _ = current()
    return state.withLock { $0.fault != nil }
  }

  /// Whether the file will count as it is now, however long one waits: nobody seems to be in the middle of saving it.
  package var isFinal: Bool {
    _ = current()
    return state.withLock { $0.inTheMakingSince == nil }
  }

  /// Of a setting that is on in doubt, no value that stands there twice counts.
  private func isContradictory(_ key: String, in document: SettingsDocument) -> Bool {
    key == SettingsKey.stayLocal.name(prefix: prefix) && document.isRepeated(key)
  }

  /// The settings as they are now; inside `withOneLook` on this thread, as they were at its beginning.
  func current() -> SettingsDocument {
    let (known, document) = state.withLock { ($0.look, $0.document) }
    if let document {
      if isInOneLook { return document }
      if let known, SettingsFileLook(path: path) == known { return document }
    }
    return look(isQuiet: false).document
  }

  /// A number that is another one whenever an answer of this file may be another one.
  package var generation: UInt64 {
    _ = current()
    return state.withLock { $0.generation }
  }

  // MARK: One look for many questions

  /// Under which a thread notes the file that it is asking many questions; nil where the system has no key left, and each
  /// question takes a look of its own.
  private static let askedFile: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  private var isInOneLook: Bool {
    guard let key = Self.askedFile else { return false }
    return pthread_getspecific(key) == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Looks at the file once, and answers all that the body asks, on this thread, by what was seen then or later.
  ///
  /// For what is decided within microseconds by many settings: the answer to a press waits for it.
  package func withOneLook<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard let key = Self.askedFile, pthread_getspecific(key) == nil else { return try body() }
    _ = current()
    pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
    defer { pthread_setspecific(key, nil) }
    return try body()
  }

  /// Looks into the file, whatever is known of it. `isQuiet`: nobody is in the middle of saving it.
  @discardableResult
  func look(isQuiet: Bool) -> (document: SettingsDocument, isInTheMaking: Bool) {
    let number = beginLook()
    let (look, content) = SettingsFileContent.read(path)
    return install(look, content, number: number, isQuiet: isQuiet)
  }

  /// The number of a look that begins now: of two at once, the one that began later has seen the newer file.
  func beginLook() -> UInt64 { state.withLock { $0.begin() } }

  /// Why the file as it is now is not used; nil where it is, or where there is none.
  package var problem: String? {
    _ = current()
    return state.withLock { $0.fault }?.sentence(path: path)
  }

  /// Whether there is a settings file at all.
  package var isThere: Bool { !SettingsFileLook(path: path).isNothing }

  /// One line for people: why the file is not used, or the first thing in it that is not; nil where all is well.
  package var complaint: String? {
    if let problem { return problem }
    let complaints = complaints
    return complaints.first.map { first in
      complaints.count == 1
        ? first.sentence : "\(first.sentence) blurtctl doctor lists all \(complaints.count) faults of the settings."
    }
  }

  /// Everything that stands in the file and is not used, the most important first.
  package var complaints: [SettingComplaint] {
    let document = current()
    let unusable = SettingsCatalogue.rows.compactMap { row in
      reading(row, in: document).problem.map { SettingComplaint(setting: row.key.name(prefix: prefix), problem: $0) }
    }
    let local = SettingsKey.stayLocal.name(prefix: prefix)
    return unusable.filter { $0.setting == local } + unusable.filter { $0.setting != local }
      + document.keys.compactMap { SettingComplaint(unknown: $0, prefix: prefix) }
  }

  /// What a setting comes to by that content of the file.
  func reading(_ row: SettingDescription, in document: SettingsDocument) -> SettingReading {
    let name = row.key.name(prefix: prefix)
    guard let stored = document[name], stored != .null else { return row.read(nil) }
    if isContradictory(name, in: document) {
      return row.reading(refused: SettingRefusal("it stands in the file more than once; keep one"))
    }
    if case .double(let number) = stored, !number.isFinite {
      return row.reading(
        refused: SettingRefusal("it has a number out of range, names a member twice or is nested too deep"))
    }
    guard let value = SettingValue(stored) else { return row.reading(refused: SettingRefusal("null stands in it")) }
    let reading = row.read(value)
    guard document.isRepeated(name), reading.problem == nil else { return reading }
    return SettingReading(
      value: reading.value, problem: "It stands in the file more than once, and the last one counts: keep one.")
  }

  /// Lets count what was seen, unless a later look was faster.
  func install(
    _ look: SettingsFileLook?, _ content: SettingsFileContent, number: UInt64, isQuiet: Bool
  ) -> (document: SettingsDocument, isInTheMaking: Bool) {
    let watchFails = watch.withLock { $0?.problem != nil }
    let (read, fault): (SettingsDocument?, SettingsFileContent.Fault?) =
      switch content {
      case .nothing: (SettingsDocument(), nil)
      case .settings(let document): (document, nil)
      case .broken(let fault): (nil, fault)
      }
    let now = MonotonicClock.now()
    let (result, news) = state.withLock { state -> ((SettingsDocument, Bool), News?) in
      let document = read ?? state.document ?? SettingsDocument()
      if let known = state.document {
        guard number > state.installed else { return ((known, false), nil) }
        state.generation += 1
        // A program that saves in several steps: what counted before counts until it is done.
        if let look, fault?.maySetAside == true || look.isEmptyFile || look.isNothing,
          known != document || fault != state.fault, state.isWatched, !watchFails, !isQuiet
        {
          let since = state.inTheMakingSince ?? now
          state.inTheMakingSince = since
          state.look = nil
          if now - since < writingTime { return ((known, true), nil) }
        }
      }
      state.inTheMakingSince = nil
      let changed = changes(from: state.document ?? SettingsDocument(), to: document)
      let news = News(
        changed: changed, isFirst: state.document == nil, changesFault: state.fault != fault,
        fault: state.reported == look ? nil : fault, tell: state.onChange)
      state.installed = number
      state.look = look.flatMap { $0.isSettled ? $0 : nil }
      state.document = document
      state.hasRead = state.hasRead || read != nil
      state.fault = fault
      if fault != nil { state.reported = look }
      return ((document, false), news)
    }
    if let news { announce(news, result.0) }
    return result
  }

  /// What is to be said about a new content.
  private struct News: Sendable {
    let changed: [SettingDescription]
    let isFirst: Bool
    let changesFault: Bool
    /// Not yet in the journal.
    let fault: SettingsFileContent.Fault?
    let tell: (@Sendable ([String]) -> Void)?
  }

  private func changes(from old: SettingsDocument, to new: SettingsDocument) -> [SettingDescription] {
    SettingsCatalogue.rows.filter { row in
      let name = row.key.name(prefix: prefix)
      return (old[name] ?? .null) != (new[name] ?? .null)
    }
  }

  private func announce(_ news: News, _ document: SettingsDocument) {
    if let fault = news.fault {
      Log.warning("the settings file is not used", ["problem": fault.sentence(path: path)])
    }
    for row in news.changed {
      guard let problem = reading(row, in: document).problem else { continue }
      Log.warning("a stored setting is not used", ["setting": row.key.name(prefix: prefix), "problem": problem])
    }
    guard !news.isFirst, !news.changed.isEmpty || news.changesFault else { return }
    news.tell?(news.changed.map { $0.key.name(prefix: prefix) }.sorted())
  }

  // MARK: Writing

  /// Stores a value, or removes it. Throws `SettingsFileError`. Blocks.
  package func store(_ value: SettingValue?, forKey key: String) throws {
    if let value, SettingValue(value.json) == nil { throw SettingsFileError.notJSON }
    _ = try change { document in
      document[key] = value?.json
      return true
    }
  }

  /// Has the content edited and written; nothing is written where `edit` says false or changes nothing. `edit` may be
  /// called more than once. A broken file is replaced by what counted before; where nothing did, audio stays here, so that
  /// the write does not lift what the broken file may have asked for. Blocks.
  ///
  /// - Returns: where a broken file was moved to, if one was in the way.
  func change(_ edit: (inout SettingsDocument) -> Bool) throws(SettingsFileError) -> String? {
    let written = try writer.withLock { writer throws(SettingsFileError) -> SettingsFileWriter.Result? in
      let inForce = state.withLock { $0.hasRead ? $0.document : nil }
      return try writer.change(inForce: inForce ?? staysLocal, edit)
    }
    guard let written else { return nil }
    if let setAside = written.setAside {
      Log.warning("the broken settings file was moved aside", ["path": path, "to": setAside])
    }
    // The number is taken now: a look that began before the file was replaced may have seen the old one.
    _ = install(nil, .settings(written.document), number: beginLook(), isQuiet: true)
    return written.setAside
  }

  /// The content that only says that audio stays here.
  private var staysLocal: SettingsDocument {
    var document = SettingsDocument()
    document[SettingsKey.stayLocal.name(prefix: prefix)] = true
    return document
  }

  // MARK: Watching

  /// Sees changes at once from now on, on the thread `blurt-settings`. The owner stops it.
  package func startWatching() throws(Errno) {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    state.withLock { $0.isWatched = true }
    do throws(Errno) {
      let watch = try FileWatch(path: absolute, threadName: "blurt-settings") { [weak self] isQuiet in
        self?.look(isQuiet: isQuiet).isInTheMaking ?? false
      }
      self.watch.withLock { $0 = watch }
    } catch {
      state.withLock { $0.isWatched = false }
      throw error
    }
  }

  /// Ends the watch and waits for its thread.
  package func stopWatching() {
    let watch = watch.withLock { watch in
      defer { watch = nil }
      return watch
    }
    watch?.stop()
    state.withLock { $0.isWatched = false }
  }
}
