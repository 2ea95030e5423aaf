package import BlurtEngine
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// Puts text into the window of the press by pasting it: the only injector there is under X11 (C-33…C-55).
///
/// All of its work with the X server happens on a thread of its own. `stop` must be called before the last reference
/// goes. Connects at the first use and again when the server went away; no display is a state, not an error.
package final class KeyInjector: InjectorProtocol, Sendable {
  package typealias Timing = InjectionTiming

  let connection: X11Connection
  private let timing: Timing
  private let clock: any Clock<Duration>
  private let target = Mutex<CapturedFocus?>(nil)
  private let isInsertExpected = Mutex(false)

  /// - Parameters:
  ///   - displayName: the X display to use, asked at each attempt to connect; nil where there is none.
  ///   - sessionDisplay: the display that the desktop session has told the service manager of; asked on the X thread where
  ///     `displayName` gives none or none that answers. May block for a moment.
  ///   - rules: how each window class pastes; asked at each insert.
  ///   - isWaylandSession: whether windows may have the focus that X does not know.
  ///   - triggerKeyCode: the evdev code of the trigger, which may still be down when the text comes.
  ///   - waitForModifiersReleased: returns when the user's own modifier keys are up, or after the given time. Runs on
  ///     the X thread up to its first suspension, so it must not block.
  ///   - isInFront: whether the user sits in front of this session. While not, nothing is pasted and no key is sent: a
  ///     screen locker would get both. Asked on the X thread; must not block.
  ///   - hidesFromHistories: whether clipboard histories are asked not to keep the text of a paste (C-76).
  ///   - takesNoText: whether the field that has the focus in a target is known not to take a text. Asked where the window is
  ///     in front and accessibility can see into its program.
  ///   - onNotice: called on the X thread; must not block.
  ///   - onUnread: called on the X thread, before `insert` returns, with true when the paste keys were sent and the target
  ///     has not read the text; with false when it has, or is waited for no longer. A `stop` before that tells nothing.
  ///   - onStatus: called on the X thread after each change of `status`; must not block.
  ///   - clock: measures how long a press waits for the frontmost window.
  package convenience init(
    displayName: @escaping @Sendable () -> String?,
    sessionDisplay: @escaping @Sendable () -> DisplayAddress? = { nil }, timing: Timing = .standard,
    rules: @escaping @Sendable () -> WindowClassRules = { WindowClassRules() },
    isWaylandSession: @escaping @Sendable () -> Bool = { getenv("WAYLAND_DISPLAY") != nil },
    triggerKeyCode: @escaping @Sendable () -> Int? = { nil },
    waitForModifiersReleased: @escaping @Sendable (Duration) async -> Bool = { _ in true },
    isInFront: @escaping @Sendable () -> Bool = { true },
    hidesFromHistories: @escaping @Sendable () -> Bool = { true },
    takesNoText: @escaping @Sendable (CapturedFocus?) async -> Bool = { _ in false },
    onNotice: @escaping @Sendable (InjectionNotice) -> Void,
    onUnread: @escaping @Sendable (Bool) -> Void = { _ in }, onStatus: @escaping @Sendable () -> Void = {},
    clock: any Clock<Duration> = ContinuousClock()
  ) throws {
    try self.init(
      host: X11Connection.Host(
        displayName: displayName, rules: rules, isWaylandSession: isWaylandSession,
        waitForModifiersReleased: waitForModifiersReleased, triggerKeyCode: triggerKeyCode, onNotice: onNotice,
        afterOwning: nil, onUnread: onUnread, isInFront: isInFront, hidesFromHistories: hidesFromHistories,
        takesNoText: takesNoText, sessionDisplay: sessionDisplay, onStatus: onStatus),
      timing: timing, clock: clock)
  }

  /// Fails only where the process can have no further thread or descriptor.
  init(
    host: X11Connection.Host, timing: Timing, clock: any Clock<Duration> = ContinuousClock()
  ) throws(Errno) {
    self.timing = timing
    self.clock = clock
    connection = try X11Connection(host: host, timing: timing)
    try connection.start()
  }

  // MARK: The seam

  package func setTarget(_ focus: CapturedFocus?) { target.withLock { $0 = focus } }

  /// Reads the old clipboard while the words are on their way; forgets it where they do not come.
  package func expectInsert(_ isExpected: Bool) {
    let isNew = isInsertExpected.withLock { known in
      defer { known = isExpected }
      return known != isExpected
    }
    guard isNew else { return }
    Task { [self] in
      _ = await Self.inside(connection) { connection -> Void? in
        await connection.expectationChanged { isInsertExpected.withLock { $0 } }
      }
    }
  }

  package func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws {
    guard !text.isEmpty else { return }
    let paste = X11Connection.Paste(
      text: text, target: target.withLock { $0 }, priorText: priorText, windowTitle: windowTitle)
    try Task.checkCancellation()
    guard connection.executor.enter() else { throw BlurtError.accessibilityPermissionMissing }
    defer { connection.executor.leave() }
    try await connection.paste(paste)
  }

  /// The frontmost window, and of its field the window's title alone.
  package var focus: HostFocusCapture {
    HostFocusCapture(
      frontmost: { [connection, timing, clock] in
        await Self.answer(within: timing.focusBudget, on: clock) {
          await Self.inside(connection) { await $0.frontmost() }
        }
      },
      fieldContext: { [connection] focus in
        guard let title = await Self.inside(connection, { await $0.title(of: focus) }) else { return nil }
        return FocusedFieldContext(windowTitle: title)
      })
  }

  // MARK: The daemon's side

  /// What is known about the display without looking again.
  package var status: DisplayStatus { connection.statusBox.withLock { $0 } }

  /// Connects if there is a display; if not, looks out for one that comes. To be called at the start and whenever a session
  /// may have begun. Returns at once; `status` tells.
  package func connectIfPossible() {
    Task { [connection] in _ = await Self.inside(connection) { await $0.expectDisplay() } }
  }

  /// Brings an old clipboard back that is still out, hands what is there to a clipboard manager, and joins the thread.
  package func stop() { connection.stop() }

  private static func inside<Answer: Sendable>(
    _ connection: X11Connection, _ body: @Sendable (X11Connection) async -> Answer?
  ) async -> Answer? {
    guard connection.executor.enter() else { return nil }
    defer { connection.executor.leave() }
    return await body(connection)
  }

  /// The answer, or nil when it does not come in time. The question goes on by itself then.
  private static func answer<Answer: Sendable>(
    within limit: Duration, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async -> Answer?
  ) async -> Answer? {
    await withCheckedContinuation { continuation in
      let first = FirstAnswer(continuation)
      let timer = Task {
        do { try await clock.sleep(for: limit) } catch { return }
        first.give(nil)
      }
      Task {
        first.give(await body())
        timer.cancel()
      }
    }
  }

  /// Resumes a continuation with whichever answer comes first.
  private final class FirstAnswer<Answer: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Answer?, Never>?>

    init(_ continuation: CheckedContinuation<Answer?, Never>) { waiting = Mutex(continuation) }

    func give(_ answer: Answer?) {
      let waiting = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?.resume(returning: answer)
    }
  }
}
