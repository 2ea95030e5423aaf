package import BlurtEngine
internal import Synchronization

/// Keeps the hotkey bound to the keys that the settings name (P-04). It changes between two dictations, never within
/// one: what is held or latched goes on under the key that it began with.
package final class TriggerBinding: Sendable {
  private struct State {
    var bound: TriggerKeyBindings
    var hotkey: Hotkey?
    /// The key whose press came last.
    var pressed: Int?
    /// An update runs, and another one was asked for meanwhile.
    var isUpdating = false
    var isAskedAgain = false
  }

  private struct Hotkey: Sendable {
    let isDictating: @Sendable () -> Bool
    let rebind: @Sendable ([TriggerKeyActivation]) -> Void
  }

  private let settings: Settings
  private let state: Mutex<State>

  /// Takes the keys as they are set now.
  package init(settings: Settings) {
    self.settings = settings
    state = Mutex(State(bound: settings.triggerKeys))
  }

  /// What every key does, as the hotkey knows it.
  package var bindings: TriggerKeyBindings { state.withLock { $0.bound } }

  /// What to bind at start.
  package var activations: [TriggerKeyActivation] { bindings.activations }

  /// The evdev code of the key that may still be down when a text is pasted: the one that was pressed last.
  package var heldKeyCode: Int? { state.withLock { $0.pressed ?? $0.bound.dictationKey?.code } }

  /// A dictation begins by that key.
  package func pressed(_ keyCode: Int) { state.withLock { $0.pressed = keyCode } }

  /// From now on changes are carried out by `rebind`, one after the other; it must not block, nor call back.
  package func attach(
    isDictating: @escaping @Sendable () -> Bool, rebind: @escaping @Sendable ([TriggerKeyActivation]) -> Void
  ) {
    state.withLock { $0.hotkey = Hotkey(isDictating: isDictating, rebind: rebind) }
    update()
  }

  /// To be called when settings have changed, and when a dictation has ended. Any thread; also from within itself, since
  /// to read a setting may be to learn of a change.
  package func update() {
    let isFree = state.withLock { state in
      state.isAskedAgain = state.isUpdating
      defer { state.isUpdating = true }
      return !state.isUpdating
    }
    guard isFree else { return }
    repeat {
      compare()
    } while state.withLock { state in
      state.isUpdating = state.isAskedAgain
      state.isAskedAgain = false
      return state.isUpdating
    }
  }

  private func compare() {
    guard let hotkey = state.withLock({ $0.hotkey }), !hotkey.isDictating() else { return }
    let bindings = settings.triggerKeys
    let (old, new) = state.withLock { state in
      defer { state.bound = bindings }
      return (state.bound.activations, bindings.activations)
    }
    if old != new { hotkey.rebind(new) }
  }
}
