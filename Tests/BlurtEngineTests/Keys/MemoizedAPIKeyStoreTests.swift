import BlurtEngine
import Synchronization
import Testing

/// A store that answers as it is told, and counts.
private final class ScriptedStorage: APIKeyStorage {
  struct State {
    var reading = APIKeyReading.absent
    var isReadOnly = false
    /// What a read gives after a write, where that is not what was written.
    var readBack: APIKeyReading?
    var readCount = 0
    var written: [String?] = []
  }

  let state = Mutex(State())

  init(_ reading: APIKeyReading = .absent) { state.withLock { $0.reading = reading } }

  var readCount: Int { state.withLock { $0.readCount } }
  var written: [String?] { state.withLock { $0.written } }

  func read() -> APIKeyReading {
    state.withLock { state in
      state.readCount += 1
      return state.reading
    }
  }

  func write(_ key: String?) throws(APIKeyStoreFault) {
    let isRefused = state.withLock { state in
      state.written.append(key)
      guard !state.isReadOnly else { return true }
      state.reading = state.readBack ?? key.map { .found($0) } ?? .absent
      return false
    }
    if isRefused { throw APIKeyStoreFault("The store is read-only.") }
  }
}

@Suite struct MemoizedAPIKeyStoreTests {
  @Test(
    "T-109 a found value and a definite absence are remembered",
    arguments: [APIKeyReading.found("k"), .absent])
  func remembers(reading: APIKeyReading) {
    let storage = ScriptedStorage(reading)
    let store = MemoizedAPIKeyStore(storage)
    #expect(store.read() == reading && store.read() == reading && store.known == reading)
    #expect(storage.readCount == 1)
  }

  @Test(
    "P-68 P-69 T-109 a store that is locked is asked again by the next one who asks, and never by a look at what is known"
  )
  func locked() {
    let storage = ScriptedStorage(.unavailable("locked"))
    let store = MemoizedAPIKeyStore(storage)
    #expect(store.known == .unavailable(MemoizedAPIKeyStore.notAskedYet) && storage.readCount == 0)
    #expect(store.read() == .unavailable("locked"))
    #expect(store.known == .unavailable("locked") && !store.hasKey && storage.readCount == 1)
    storage.state.withLock { $0.reading = .found("k") }
    #expect(store.read() == .found("k") && storage.readCount == 2)
    #expect(store.current == "k" && storage.readCount == 2)
  }

  @Test("T-109 somebody who has changed the store can have it asked whatever is remembered")
  func again() {
    let storage = ScriptedStorage(.absent)
    let store = MemoizedAPIKeyStore(storage)
    _ = store.read()
    storage.state.withLock { $0.reading = .found("k") }
    #expect(store.read() == .absent)
    #expect(store.readAgain() == .found("k") && store.known == .found("k"))
  }

  @Test("T-110 a save writes the trimmed key, reads it back and remembers it; a blank one removes")
  func saves() throws {
    let storage = ScriptedStorage()
    let store = MemoizedAPIKeyStore(storage)
    try store.save(" new \n")
    #expect(storage.written == ["new"] && store.known == .found("new") && storage.readCount == 1)
    try store.save("  ")
    #expect(storage.written == ["new", nil] && store.known == .absent)
    try store.save(nil)
    #expect(storage.written == ["new", nil, nil])
  }

  @Test("T-110 a write that fails leaves the stored key, and nothing is remembered: the next read asks")
  func failedWrite() {
    let storage = ScriptedStorage(.found("old"))
    let store = MemoizedAPIKeyStore(storage)
    _ = store.read()
    storage.state.withLock { $0.isReadOnly = true }
    #expect(throws: APIKeyStoreFault("The store is read-only.")) { try store.save("new") }
    #expect(!store.known.isDefinite)
    #expect(store.read() == .found("old") && storage.readCount == 2)
  }

  @Test(
    "T-110 a read-back that differs or cannot be had is a failure, and is never remembered as the key",
    arguments: [APIKeyReading.found("other"), .absent, .unavailable("locked")])
  func failedReadBack(readBack: APIKeyReading) {
    let storage = ScriptedStorage()
    storage.state.withLock { $0.readBack = readBack }
    let store = MemoizedAPIKeyStore(storage)
    let fault = #expect(throws: APIKeyStoreFault.self) { try store.save("new-secret") }
    #expect(fault?.message.contains("secret") == false)
    #expect(!store.known.isDefinite)
  }

  @Test("T-110 a removal that leaves the key is a failure")
  func failedRemoval() {
    let storage = ScriptedStorage(.found("k"))
    storage.state.withLock { $0.readBack = .found("k") }
    let store = MemoizedAPIKeyStore(storage)
    #expect(throws: APIKeyStoreFault.self) { try store.save(nil) }
    #expect(store.read() == .found("k"))
  }

  @Test("P-70 the gateway in memory has the same rules")
  func memory() throws {
    let store = InMemoryAPIKeyStore("  ")
    #expect(store.known == .absent && !store.hasKey)
    try store.save(" k ")
    #expect(store.current == "k" && store.read() == .found("k"))
    try store.save("")
    #expect(store.known == .absent)
  }

  @Test("T-111 a reading prints no key, interpolated, dumped or mirrored")
  func silent() {
    let reading = APIKeyReading.found("secret-key")
    var dumped = ""
    dump(reading, to: &dumped)
    for text in ["\(reading)", String(reflecting: reading), dumped, "\([reading])", "\(Optional(reading) as Any)"] {
      #expect(!text.contains("secret"))
    }
  }
}
