import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Synchronization

@testable import BlurtWayland

/// A folder with a compositor that tells its interfaces, and with programs named as the real ones that do with files what
/// those do with a compositor. For what no real one does on demand: failing, being late, being robbed.
final class WaylandRig {
  let folder = SocketFolder()
  let world = World()
  private let compositor: FakeCompositor
  var timing = WaylandTiming.standard.with {
    $0.settleFloor = .milliseconds(150)
    $0.quietAfterRead = .milliseconds(50)
    // The programs of the rig are shells, and the machine may be busy.
    $0.snapshot = .seconds(20)
    $0.program = .seconds(20)
    $0.modifierWait = .zero
  }
  var rules = WindowClassRules()
  /// Where programs are looked for; nil: in the rig, then in the system.
  var path: String?

  /// What the injector asks and tells.
  final class World: Sendable {
    let notices = Mutex<[WaylandNotice]>([])
    let unread = Mutex<[Bool]>([])
    let isInFront = Mutex(true)
    /// The texts of offers that were read.
    let offers = Mutex<[String: String]>([:])
  }

  init(
    interfaces: [String] = [WaylandGlobals.virtualKeyboard, WaylandGlobals.dataControls[1]],
    selections: [WaylandMessage]? = nil
  ) throws {
    compositor = try FakeCompositor(
      at: folder.file("wayland-0"), interfaces: interfaces + (selections == nil ? [] : [WaylandGlobals.seat]),
      selections: selections)
    try makeFolder("bin")
    // Copies: a folder of its own for each offer, as wl-copy has; the one before goes.
    try program(
      "wl-copy",
      """
      place=CLIPBOARD; type=text/plain
      echo "$*" >>"$root/copies"
      while [ $# -gt 0 ]; do
        case $1 in
          --primary) place=PRIMARY ;;
          --clear) clear=1 ;;
          --type) type=$2; shift ;;
        esac
        shift
      done
      old=$(cat "$root/$place" 2>/dev/null)
      if [ -n "$clear" ]; then
        rm -f "$root/$place"
      else
        new=$(mktemp -d "$TMPDIR/wl-copy-buffer-XXXXXX")
        cat >"$new/stdin"
        echo "$type" >"$root/$place.type"
        echo "$new" >"$root/$place"
      fi
      [ -n "$old" ] && rm -rf "$old"
      exit 0
      """)
    try program(
      "wl-paste",
      """
      place=CLIPBOARD
      for word; do [ "$word" = --primary ] && place=PRIMARY; done
      [ -e "$root/$place" ] || { echo "No selection" >&2; exit 1; }
      for word; do [ "$word" = --list-types ] && { cat "$root/$place.type"; exit 0; }; done
      exec cat "$(cat "$root/$place")/stdin"
      """)
    try program(
      "wtype",
      """
      echo "$*" >>"$root/keys"
      cat "$(cat "$root/CLIPBOARD")/stdin" >>"$root/window"
      """)
  }

  deinit { compositor.stop() }

  /// A program of the rig; `$root` is its folder.
  func program(_ name: String, _ body: String) throws {
    let path = folder.file("bin/\(name)")
    try write("#!/bin/sh\nroot='\(folder.path)'\n\(body)\n", to: "bin/\(name)")
    try Syscall.run("chmod") { chmod(path, 0o755) }
  }

  /// Something that a program of the rig does first.
  func wrap(_ name: String, _ body: String) throws {
    let former = text("bin/\(name)") ?? ""
    try write(former.replacingFirst("\n", with: "\n\(body)\n"), to: "bin/\(name)")
  }

  func remove(_ name: String) { unlink(folder.file(name)) }

  func write(_ text: String, to name: String) throws {
    let file = try FileDescriptor.open(folder.file(name), O_WRONLY | O_CREAT | O_TRUNC)
    try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
  }

  /// A file of the rig as text; nil where there is none.
  func text(_ name: String) -> String? {
    TestFile.bytes(folder.file(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Somebody copies.
  func copy(_ text: String, type: String = "text/plain", primary: Bool = false) throws {
    let input = try MemoryFile.make(Array(text.utf8))
    _ = try HelperProgram.run(
      folder.file("bin/wl-copy"), arguments: (primary ? ["--primary"] : []) + ["--type", type],
      environment: environment, limit: .seconds(20), input: input.raw)
    remove("copies")
  }

  /// What somebody would paste; nil where there is nothing.
  ///
  /// Each offer is read once, however often a test asks: the injector takes every read for that of a window.
  func clipboard(_ place: String = "CLIPBOARD") -> String? {
    guard let offer = text(place)?.prefix(while: { $0 != "\n" }) else { return nil }
    return world.offers.withLock { offers in
      if let known = offers[String(offer)] { return known }
      let text = TestFile.bytes(offer + "/stdin").map { String(decoding: $0, as: UTF8.self) }
      offers[String(offer)] = text
      return text
    }
  }

  /// Runs the injector and takes it down.
  func use(_ body: (WaylandInjector) async throws -> Void) async throws {
    let host = WaylandHost(
      environment: environment, rules: { [rules] in rules },
      isInFront: { [world] in world.isInFront.withLock { $0 } },
      onNotice: { [world] notice in world.notices.withLock { $0.append(notice) } },
      onUnread: { [world] isUnread in world.unread.withLock { $0.append(isUnread) } },
      uinputNode: folder.file("no-uinput"))
    guard let injector = try WaylandInjector(host, timing: timing) else {
      throw Errno(ENOENT, call: "WAYLAND_DISPLAY")
    }
    do {
      try await body(injector)
    } catch {
      injector.stop()
      throw error
    }
    injector.stop()
  }

  var seenNotices: [WaylandNotice] { world.notices.withLock { $0 } }

  var seenUnread: [Bool] { world.unread.withLock { $0 } }

  private var environment: [String: String] {
    [
      "PATH": path ?? folder.file("bin") + ":/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path,
      "WAYLAND_DISPLAY": "wayland-0",
    ]
  }

  private func makeFolder(_ name: String) throws {
    try Syscall.run("mkdir") { mkdir(folder.file(name), 0o700) }
  }
}

extension String {
  fileprivate func replacingFirst(_ separator: Character, with other: String) -> String {
    guard let place = firstIndex(of: separator) else { return self }
    return String(self[..<place]) + other + String(self[index(after: place)...])
  }
}

extension WaylandTiming {
  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
