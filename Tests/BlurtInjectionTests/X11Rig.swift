import BlurtEngine
import BlurtOS
import BlurtTestSupport
import CX11
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BlurtInjection

/// The rig that the suites with a real X server need: `Tests/Rig/with-x11.sh` provides it.
enum X11Rig {
  static let displayName = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
  static let isThere = ProcessInfo.processInfo.environment["BLURT_TEST_X11"] == "1" && !displayName.isEmpty
  static let reason: Comment = "needs an X server of its own: run under Tests/Rig/with-x11.sh"

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Rig")
}

/// All suites that share the one X server, its clipboard and its focus: one test at a time.
@Suite("X11", .serialized, .enabled(if: X11Rig.isThere, X11Rig.reason), .timeLimit(.minutes(2)))
struct X11Suites {}

/// Looks at a condition until it holds, for a bounded time. For what another process or the X server does.
func eventually(
  within limit: Duration = .seconds(30), _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: @Sendable () async -> Bool
) async throws {
  let deadline = MonotonicClock.now() + limit
  while MonotonicClock.now() < deadline {
    if await condition() { return }
    try await Task.sleep(for: .milliseconds(3))
  }
  try #require(await condition(), what, sourceLocation: sourceLocation)
}

/// The notices of an injector, in order.
final class Notices: Sendable {
  private let box = Mutex<[InjectionNotice]>([])
  var all: [InjectionNotice] { box.withLock { $0 } }
  func add(_ notice: InjectionNotice) { box.withLock { $0.append(notice) } }
  func forget() { box.withLock { $0 = [] } }
}

/// An injector on the rig's display, with what a test wants to replace. `stop` is called at the end of `use`.
struct InjectorRig: Sendable {
  var displayName: @Sendable () -> String? = { X11Rig.displayName }
  var timing = InjectionTiming.quick
  var rules: @Sendable () -> WindowClassRules = { WindowClassRules() }
  var isWaylandSession = false
  var waitForModifiersReleased: @Sendable (Duration) async -> Bool = { _ in true }
  var triggerKeyCode: Int?
  var afterOwning: (@Sendable () -> Void)?
  var isInFront: @Sendable () -> Bool = { true }
  var hidesFromHistories = true
  var sessionDisplay: @Sendable () -> DisplayAddress? = { nil }
  var takesNoText: @Sendable (CapturedFocus?) async -> Bool = { _ in false }
  let notices = Notices()
  /// What was told of the receipt of the text, in order.
  let unread = Box<[Bool]>([])

  func use(_ body: (KeyInjector) async throws -> Void) async throws {
    let injector = try KeyInjector(
      host: X11Connection.Host(
        displayName: displayName, rules: rules, isWaylandSession: { [isWaylandSession] in isWaylandSession },
        waitForModifiersReleased: waitForModifiersReleased, triggerKeyCode: { [triggerKeyCode] in triggerKeyCode },
        onNotice: { [notices] in notices.add($0) }, afterOwning: afterOwning,
        onUnread: { [unread] in unread.append($0) }, isInFront: isInFront,
        hidesFromHistories: { [hidesFromHistories] in hidesFromHistories }, takesNoText: takesNoText,
        sessionDisplay: sessionDisplay),
      timing: timing)
    Log.level = .error
    defer { injector.stop() }
    try await body(injector)
  }
}

/// What most pastes need: a window that has the focus, somebody who looks at the clipboard, and an injector whose target is
/// that window.
struct PasteScene {
  let probe: ProbeWindow
  let peeker: Peeker
  let injector: KeyInjector
  let rig: InjectorRig

  var focus: CapturedFocus {
    CapturedFocus(processID: getpid(), name: "Probe", windowID: UInt64(probe.window), windowClass: "Probe")
  }

  func insert(_ text: String) async throws { try await injector.insert(text, after: nil, windowTitle: nil) }
}

extension InjectorRig {
  /// Sets the scene and ends it, whatever the body throws.
  func scene(_ body: (PasteScene) async throws -> Void) async throws {
    let probe = try await ProbeWindow().shown()
    defer { probe.quit() }
    let peeker = try Peeker()
    defer { peeker.quit() }
    try await use { injector in
      let scene = PasteScene(probe: probe, peeker: peeker, injector: injector, rig: self)
      // As the press does, which connects.
      _ = await injector.focus.frontmost()
      injector.setTarget(scene.focus)
      try await body(scene)
    }
  }
}

extension InjectionTiming {
  /// The proportions of the standard, fast enough for tests; the bounds that no test waits for stay long, so that a slow
  /// machine does not run into them.
  static let quick = InjectionTiming(
    settleFloor: .milliseconds(80), quietAfterRead: .milliseconds(40), neverRead: .milliseconds(1600),
    takeover: .milliseconds(400), activation: .seconds(2), activationPoll: .milliseconds(5),
    snapshot: .seconds(3), snapshotByteLimit: 64 << 20, modifierWait: .milliseconds(200),
    transferStall: .seconds(1), handover: .seconds(2), focusBudget: .seconds(5))

  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

extension X11Connection {
  /// Whether anything is still kept to be served as the clipboard.
  var isClipboardHeld: Bool { session?.clipboard.contents != nil }

  /// Whether the clipboard has been read for an insert that is expected; nil where it is not being read.
  var isReadAhead: Bool? { session?.ahead?.isDone }

  /// What names the present connection.
  var ownWindow: Window? { session?.display.window }

  /// How often other programs have taken or left a selection while that was watched.
  var ownerChangeCount: Int { session?.ownerChanges.values.reduce(0, +) ?? 0 }

  /// Whether a reader of large data is still being served.
  var isSendingPieces: Bool { session?.transfers.nextDeadline != nil }
}
