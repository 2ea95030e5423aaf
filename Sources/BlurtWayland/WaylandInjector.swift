package import BlurtEngine
internal import BlurtOS
internal import Synchronization

/// Puts text into the focused window of a Wayland session: clipboard by wl-clipboard, keys by wtype or a keyboard of ours.
///
/// All of its work blocks and happens on a thread that lives only while there is some. `stop` must be called before the last
/// reference goes. Windows under Xwayland are reached as well: the compositor shares the clipboard with them, and the keys
/// go to whatever has the focus.
package final class WaylandInjector: InjectorProtocol, Sendable {
  private let worker = SerialWorker(name: "blurt-wayland")
  private let host: WaylandHost
  private let timing: WaylandTiming
  private let paster: WaylandPaster
  private let target = Mutex<CapturedFocus?>(nil)

  /// Nil where the environment names no compositor. Fails only where the process can have no further descriptor.
  package init?(_ host: WaylandHost, timing: WaylandTiming = .standard) throws {
    guard let display = host.environment["WAYLAND_DISPLAY"], WaylandGlobals.socketPath(host.environment) != nil else {
      return nil
    }
    self.host = host
    self.timing = timing
    paster = try WaylandPaster(host: host, display: display, timing: timing)
  }

  // MARK: The seam

  package func setTarget(_ focus: CapturedFocus?) { target.withLock { $0 = focus } }

  package func insert(_ text: String, after priorText: String?, windowTitle: String?) async throws {
    guard !text.isEmpty else { return }
    let target = target.withLock { $0 }
    try Task.checkCancellation()
    let modifiersAreUp = await host.waitForModifiersReleased(timing.modifierWait)
    try Task.checkCancellation()
    let cancelled = Flag()
    let paste = WaylandPaster.Paste(
      text: text, target: target, priorText: priorText, windowTitle: windowTitle, modifiersAreUp: modifiersAreUp,
      isCancelled: { cancelled.isSet })
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A former paste that settles gives way to this one (C-35).
        paster.hurry()
        worker.submit { [paster] in
          continuation.resume(returning: paster.paste(paste))
          paster.settle()
        }
      }
    } onCancel: {
      cancelled.set()
    }
    try result.get()
  }

  /// The focused window where the compositor tells it, and of its field the window's title alone.
  package var focus: HostFocusCapture {
    HostFocusCapture(
      frontmost: { [paster] in
        do throws(Errno) {
          return try await Blocking.run(name: "blurt-sway") { paster.frontmost() }
        } catch {
          return nil
        }
      },
      fieldContext: { [paster] focus in
        guard let id = focus?.windowID else { return nil }
        do throws(Errno) {
          let title = try await Blocking.run(name: "blurt-sway") { paster.title(of: id) }
          return title.map { FocusedFieldContext(windowTitle: $0) }
        } catch {
          return nil
        }
      })
  }

  // MARK: The daemon's side

  /// What is known about the compositor without looking again.
  package var status: WaylandStatus { paster.status }

  /// Looks for the compositor and its ways. Returns at once; `status` tells.
  package func lookAround() { worker.submit(unlessWaiting: 1) { [paster] in _ = paster.look() } }

  /// The same, and the answer; what was known before where a paste is still being settled. The first look is waited for.
  package func freshStatus() async -> WaylandStatus {
    guard worker.isIdle || !status.hasLooked else { return status }
    return await withCheckedContinuation { continuation in
      worker.submit { [paster] in continuation.resume(returning: paster.look()) }
    }
  }

  /// Brings an old clipboard back that is still out if its successor was read, and waits for the thread, within bounds.
  package func stop() {
    paster.close()
    guard let done = try? Wakeup() else { return }
    worker.submit { done.signal() }
    _ = SocketWait.isReadable(done.descriptor, until: MonotonicClock.now() + timing.program)
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }
}
