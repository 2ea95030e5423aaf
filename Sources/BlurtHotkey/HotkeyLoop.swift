internal import BlurtEngine
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// The hotkey's thread: devices, folder and orders in, events out.
///
/// Lives on that one thread. Events of one wake-up are put in the order of their kernel times before they are judged, so
/// that a thread that was late does not take a shortcut over two devices for a tap.
final class HotkeyLoop {
  /// An open device. A class, since a collection cannot hold the device itself.
  private final class Opened {
    let id: Int
    let node: String
    var device: EvdevDevice
    /// As the status last told it.
    var wasSilenced = false

    init(id: Int, node: String, device: consuming EvdevDevice) {
      self.id = id
      self.node = node
      self.device = device
    }
  }

  /// What is known of a node in the folder.
  private enum Node {
    case open(Opened)
    /// It may not be read, yet. The name of one that has a trigger key, as far as is known.
    case denied(keyboard: String?)
    /// It did not open for another reason; a change of it is worth another try.
    case failed
    /// Nothing of it matters.
    case notWanted
  }

  private struct Arrival {
    let input: KeyInput
    let time: Duration
    let device: Int
  }

  private let mailbox: HotkeyMailbox
  private let wakeup: Wakeup
  private let inputDirectory: String
  private let sysfsDirectory: String?
  private let readLimit: Int
  private let opener: DictationKeyTap.Opener
  private let mayRead: DictationKeyTap.Permission
  private let onEvent: @Sendable (HotkeyEvent) -> Void

  private var watcher: DeviceWatcher
  private var tracker: DictationKeyTracker
  private var boundKeys: Set<Int>
  private var nodes: [String: Node] = [:]
  private var opened: [Opened] = []
  private var nextID = 1
  private var arrivals: [Arrival] = []
  /// Devices that were not read to the end; `poll` does not see what their library holds already.
  private var unfinished: Set<Int32> = []
  private var statusIsStale = true
  private var pause: HotkeyStatus.Pause?
  private var hasScanned = false
  private var hasToldOfClock = false
  private var hasToldOfMasks = false
  /// When silenced keyboards were last looked for because of another key than a trigger.
  private var lastLook: Duration?

  init(
    inotify: consuming FileDescriptor, mailbox: HotkeyMailbox, wakeup: Wakeup, activations: [TriggerKeyActivation],
    inputDirectory: String, sysfsDirectory: String?, readLimit: Int, opener: @escaping DictationKeyTap.Opener,
    mayRead: @escaping DictationKeyTap.Permission, onEvent: @escaping @Sendable (HotkeyEvent) -> Void
  ) {
    watcher = DeviceWatcher(inotify, directory: inputDirectory)
    self.mailbox = mailbox
    self.wakeup = wakeup
    self.inputDirectory = inputDirectory
    self.sysfsDirectory = sysfsDirectory
    self.readLimit = readLimit
    self.opener = opener
    self.mayRead = mayRead
    self.onEvent = onEvent
    tracker = DictationKeyTracker(activations: activations)
    boundKeys = Set(activations.map(\.keyCode))
  }

  /// Returns after an order to stop.
  func run() {
    scan()
    publish()
    var set: [pollfd] = []
    while true {
      set.removeAll(keepingCapacity: true)
      set.append(pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0))
      set.append(pollfd(fd: watcher.descriptor, events: Int16(POLLIN), revents: 0))
      for entry in opened {
        set.append(pollfd(fd: entry.device.descriptor, events: Int16(POLLIN), revents: 0))
      }
      _ = poll(&set, nfds_t(set.count), unfinished.isEmpty ? -1 : 0)
      mailbox.wakeUps.add(1, ordering: .relaxed)
      if set[0].revents != 0 { wakeup.clear() }
      guard carryOutOrders() else { break }
      let ready = unfinished.union(set.dropFirst(2).lazy.filter { $0.revents != 0 }.map(\.fd))
      if !ready.isEmpty { readDevices(ready) }
      if set[1].revents != 0 { followChanges() }
      publish()
    }
    closeAll()
    mailbox.finish()
  }

  // MARK: Orders

  /// Returns false for an order to stop.
  private func carryOutOrders() -> Bool {
    while mailbox.hasOrders, let order = mailbox.take() {
      switch order {
      case .reset(let gesture): reset(gesture)
      case .rebind(let activations): rebind(activations)
      case .resync:
        scan()
        // What waits is still true; the kernel would drop it when asked for the state.
        readDevices(Set(opened.map { $0.device.descriptor }))
        recover()
      case .pause(let pause): setPause(pause)
      case .stop: return false
      }
    }
    return true
  }

  private func reset(_ gesture: UInt64?) { tell(tracker.reset(ifGestureIs: gesture, reason: .reset)) }

  private func rebind(_ activations: [TriggerKeyActivation]) {
    tell(tracker.rebind(activations))
    statusIsStale = true
    boundKeys = Set(activations.map(\.keyCode))
    for entry in opened {
      if entry.device.rebind(boundKeys) {
        seed(entry)
      } else {
        drop(entry, leaving: .notWanted)
      }
    }
    for case (let name, .notWanted) in nodes { nodes[name] = nil }
    scan()
  }

  private func setPause(_ pause: HotkeyStatus.Pause?) {
    self.pause = pause
    statusIsStale = true
    if pause != nil {
      tell(tracker.reset(reason: .paused))
      closeAll()
      nodes = [:]
    } else {
      scan()
    }
  }

  // MARK: Events

  private func readDevices(_ ready: Set<Int32>) {
    var eventsLost = false
    var gone: [Opened] = []
    unfinished = []
    for entry in opened where ready.contains(entry.device.descriptor) {
      do throws(EvdevError) {
        let result = try entry.device.read(limit: readLimit) { input, time in
          arrivals.append(Arrival(input: input, time: time, device: entry.id))
        }
        switch result {
        case .drained: break
        case .more: unfinished.insert(entry.device.descriptor)
        case .eventsLost:
          Log.notice("the kernel dropped key events; reading the state of all keys", ["node": entry.node])
          unfinished.insert(entry.device.descriptor)
          eventsLost = true
        }
      } catch {
        gone.append(entry)
        noteFailure(error, entry)
      }
    }
    judgeArrivals()
    replace(gone)
    if eventsLost { recover() }
  }

  private func judgeArrivals() {
    // Ties keep the order of reading.
    let order = arrivals.indices.sorted { (arrivals[$0].time, $0) < (arrivals[$1].time, $1) }
    for arrival in order.map({ arrivals[$0] }) {
      while mailbox.hasOrders, case .reset(let gesture)? = mailbox.take(onlyReset: true) { reset(gesture) }
      // Before a release is judged: a keyboard that cannot be heard would hold the key for ever. After a press: it waits
      // for nothing.
      if case .boundKey(_, isDown: false) = arrival.input { lookForSilenced(besides: arrival.device) }
      tell(tracker.take(arrival.input, device: arrival.device, at: arrival.time))
      switch arrival.input {
      case .boundKey(_, isDown: true): lookForSilenced(besides: arrival.device)
      case .boundKey(_, isDown: false): break
      case .otherKey, .pointer:
        if lastLook.map({ arrival.time - $0 >= Self.lookInterval }) ?? true {
          lastLook = arrival.time
          lookForSilenced(besides: arrival.device)
        }
      }
    }
    arrivals.removeAll(keepingCapacity: true)
  }

  /// Other keys and clicks lead to a look at most this often; trigger keys always do.
  static let lookInterval: Duration = .seconds(1)

  /// Looks at the keyboards that tell nothing while another device speaks: keys that change on one of them are read by a
  /// program that holds it for itself, such as a key remapper, whose own keyboard is the one that speaks (B-12).
  ///
  /// What the tracker knows of such a keyboard follows its true state, without an edge.
  private func lookForSilenced(besides device: Int) {
    var gone: [Opened] = []
    for entry in opened where entry.id != device && entry.device.hasBoundKey {
      do throws(EvdevError) {
        if let keys = try entry.device.keysChangedUnheard() { tracker.add(device: entry.id, holding: keys) }
      } catch {
        gone.append(entry)
        noteFailure(error, entry)
      }
    }
    replace(gone)
  }

  /// Reads the true state of every device (H-73, H-80).
  private func recover() {
    var snapshots: [Int: Set<Int>] = [:]
    var gone: [Opened] = []
    for entry in opened {
      do throws(EvdevError) {
        snapshots[entry.id] = try entry.device.keysDown()
      } catch {
        gone.append(entry)
        noteFailure(error, entry)
      }
    }
    replace(gone)
    tell(tracker.recover(snapshots, at: MonotonicClock.now()))
  }

  private func tell(_ event: HotkeyEvent?) {
    if let event { onEvent(event) }
  }

  // MARK: Devices

  private func followChanges() {
    statusIsStale = true
    for change in watcher.changes() where pause == nil {
      switch change {
      case .appeared(let name):
        // Already open if a scan was faster. Were it another device, the open one would report that it is gone.
        if case .notWanted? = nodes[name] { nodes[name] = nil }
        consider(name)
      case .changed(let name):
        if case .open(let entry)? = nodes[name] { dropIfForbidden(entry) } else { consider(name) }
      case .removed(let name):
        if case .open(let entry)? = nodes[name] { drop(entry, leaving: nil) }
        nodes[name] = nil
      case .everything: scan()
      }
    }
  }

  /// Looks through the whole folder.
  private func scan() {
    guard pause == nil else { return }
    let names = Set(Self.names(in: inputDirectory))
    for (name, node) in nodes where !names.contains(name) {
      if case .open(let entry) = node { drop(entry, leaving: nil) }
      nodes[name] = nil
    }
    for name in names.sorted() {
      // What was withdrawn meanwhile may have been told by the notice that was lost.
      if case .open(let entry)? = nodes[name] { dropIfForbidden(entry) }
      consider(name)
    }
    hasScanned = true
    statusIsStale = true
  }

  /// Closes a device that may not be read any more (B-29, B-30): the machine was given to another user, who must not be
  /// overheard through a descriptor from before. A live gesture says nothing about the user's wish then.
  private func dropIfForbidden(_ entry: Opened) {
    guard !mayRead("\(inputDirectory)/\(entry.node)") else { return }
    Log.notice("input device may not be read any more", ["node": entry.node])
    if entry.device.hasBoundKey { tell(tracker.reset(reason: .accessLost)) }
    drop(entry, leaving: .denied(keyboard: entry.device.hasBoundKey ? entry.device.name : nil))
  }

  /// Opens a node if it matters and is not open yet.
  private func consider(_ name: String) {
    guard Self.isEventNode(name) else { return }
    switch nodes[name] {
    case .open, .notWanted: return
    case .denied, .failed, nil: break
    }
    let known = sysfsDirectory.flatMap { SysfsInputDevice(node: name, in: $0) }
    if let known, !KeyEventFilter.isRelevant(known.keys, boundKeys: boundKeys) || known.name == EvdevDevice.ownName {
      nodes[name] = .notWanted
      return
    }
    do throws(EvdevError) {
      var device = try EvdevDevice(try open(name), boundKeys: boundKeys)
      let keys = try device.keysDown()
      noteLimits(of: device)
      let entry = Opened(id: nextID, node: name, device: device)
      nextID += 1
      Log.info("input device opened", ["node": name, "name": entry.device.name])
      nodes[name] = .open(entry)
      opened.append(entry)
      tracker.add(device: entry.id, holding: keys)
    } catch {
      switch error {
      case .denied:
        // One that tells nothing of itself may be a keyboard.
        let mayHaveTrigger = known.map { boundKeys.contains(where: $0.keys.contains) } ?? true
        nodes[name] = .denied(keyboard: mayHaveTrigger ? known?.name ?? "" : nil)
      case .notWanted: nodes[name] = .notWanted
      case .gone: nodes[name] = .failed
      case .unusable, .cannotWatch:
        nodes[name] = .failed
        Log.info("input device left out", ["node": name, "reason": "\(error)"])
      }
    }
  }

  private func open(_ name: String) throws(EvdevError) -> FileDescriptor {
    do throws(Errno) {
      return try opener("\(inputDirectory)/\(name)")
    } catch {
      switch error.code {
      case EACCES, EPERM: throw .denied(error)
      case ENODEV, ENOENT, ENXIO: throw .gone
      default: throw .unusable(error)
      }
    }
  }

  /// Tells the tracker which keys of a device are down now, without starting anything.
  private func seed(_ entry: Opened) {
    do throws(EvdevError) {
      tracker.add(device: entry.id, holding: try entry.device.keysDown())
    } catch {
      noteFailure(error, entry)
      drop(entry, leaving: .failed)
    }
  }

  /// Closes a device at once: a dead descriptor would stay readable for ever. Its keys are let go.
  private func drop(_ entry: Opened, leaving node: Node?) {
    guard let index = opened.firstIndex(where: { $0 === entry }) else { return }
    opened.remove(at: index)
    unfinished.remove(entry.device.descriptor)
    statusIsStale = true
    nodes[entry.node] = node
    tell(tracker.remove(device: entry.id, at: MonotonicClock.now()))
  }

  /// Drops dead devices; another one may have taken a node's name already.
  private func replace(_ gone: [Opened]) {
    for entry in gone {
      drop(entry, leaving: .failed)
      let now = FileIdentity(path: "\(inputDirectory)/\(entry.node)")
      // The same node again would fail again, and so for ever.
      if now != nil, now != entry.device.identity { consider(entry.node) }
    }
  }

  private func closeAll() {
    for entry in opened { _ = tracker.remove(device: entry.id, at: .zero) }
    opened = []
    unfinished = []
  }

  private func noteFailure(_ error: EvdevError, _ entry: Opened) {
    if case .gone = error {
      Log.info("input device unplugged", ["node": entry.node])
    } else {
      Log.warning("input device dropped", ["node": entry.node, "reason": "\(error)"])
    }
  }

  /// Says once what an old kernel cannot do.
  private func noteLimits(of device: borrowing EvdevDevice) {
    if !device.usesKernelTime, !hasToldOfClock {
      hasToldOfClock = true
      Log.warning("the kernel gives no monotonic event times; the time of reading is used", ["name": device.name])
    }
    if !device.isMasked, !hasToldOfMasks {
      hasToldOfMasks = true
      Log.info("the kernel delivers every event of a device; a mouse that moves costs time", ["name": device.name])
    }
  }

  // MARK: State

  /// Makes the state visible to the other threads and tells of a changed status.
  private func publish() {
    var modifiersAreHeld = false
    for entry in opened {
      if entry.device.modifiersAreHeld { modifiersAreHeld = true }
      if entry.device.isSilenced != entry.wasSilenced {
        entry.wasSilenced = entry.device.isSilenced
        statusIsStale = true
        Log.notice(
          entry.wasSilenced ? "another program holds an input device for itself" : "an input device is heard again",
          ["node": entry.node, "name": entry.device.name])
      }
    }
    mailbox.setHeld(modifiers: modifiersAreHeld, trigger: tracker.triggerIsHeld)
    guard statusIsStale else { return }
    statusIsStale = false
    let status = makeStatus()
    if mailbox.setStatus(status) { tell(.statusChanged(status)) }
  }

  private func makeStatus() -> HotkeyStatus {
    var status = HotkeyStatus()
    status.hasScanned = hasScanned
    status.seen = nodes.count
    status.readable = opened.count
    for (node, state) in nodes {
      guard case .denied(let keyboard) = state else { continue }
      status.denied += 1
      if let keyboard { status.deniedKeyboards.append(HotkeyStatus.Device(node: node, name: keyboard)) }
    }
    status.deniedKeyboards.sort { $0.node < $1.node }
    for entry in opened where entry.device.hasBoundKey {
      if entry.wasSilenced {
        status.silencedKeyboards.append(HotkeyStatus.Device(node: entry.node, name: entry.device.name))
      } else {
        status.withTrigger += 1
      }
    }
    status.triggers = boundKeys.sorted().map { TriggerKey(code: $0)?.name ?? "\($0)" }
    status.hotplugProblem = watcher.problem?.description
    status.pause = pause
    return status
  }

  private static func isEventNode(_ name: String) -> Bool {
    name.hasPrefix("event") && name.count > 5 && name.dropFirst(5).allSatisfy(\.isNumber)
  }

  private static func names(in directory: String) -> [String] {
    FolderListing.names(in: directory).filter(isEventNode)
  }
}
