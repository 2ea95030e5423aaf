package import BlurtEngine
package import BlurtHotkey
internal import BlurtOS
internal import Synchronization

/// Between the hotkey and the session: gestures in, commands out, resets back.
///
/// `handle` runs on the hotkey's thread and submits from there, synchronously, so that the order of events is the order
/// of commands (H-49).
package final class HotkeyBridge: Sendable {
  private let session: DictationSession
  private let listening: ListeningControl?
  private let ownership = Mutex(HotkeyOwnership())
  private let tap = Mutex<DictationKeyTap?>(nil)
  private let onStatus: @Sendable (HotkeyStatus) -> Void
  private let onPress: @Sendable (Int) -> Void
  private let onReset: @Sendable (UInt64) -> Void

  /// `listening` says whether presses are answered; nil: always. `onPress` is told of the key of each press that is
  /// submitted, `onReset` of each gesture that is put back.
  package init(
    session: DictationSession, listening: ListeningControl? = nil,
    onPress: @escaping @Sendable (Int) -> Void = { _ in },
    onReset: @escaping @Sendable (UInt64) -> Void = { _ in }, onStatus: @escaping @Sendable (HotkeyStatus) -> Void
  ) {
    self.onPress = onPress
    self.onReset = onReset
    self.session = session
    self.listening = listening
    self.onStatus = onStatus
  }

  /// The tap to reset. It needs this bridge for its events, so it comes second.
  package func attach(_ tap: DictationKeyTap?) { self.tap.withLock { $0 = tap } }

  /// How the hotkey stands; nil where it could not be started.
  package var status: HotkeyStatus? { tap.withLock { $0 }?.status }

  /// Takes one event of the hotkey. Never blocks.
  package func handle(_ event: HotkeyEvent) {
    switch event {
    case .start(let keyCode, let gesture, _):
      if let listening {
        // The key does nothing where it is refused; watchers were told why when the window was left.
        listening.answerPress { $0 == nil ? press(keyCode, gesture) : reset(gesture) }
      } else {
        press(keyCode, gesture)
      }
    case .stop, .cancel, .keyLost, .discarded, .latch:
      guard let gesture = event.gesture, let command = event.command else { return }
      carryOut { $0.acts(gesture: gesture, command: command) }
    case .statusChanged(let status): onStatus(status)
    }
  }

  private func press(_ keyCode: Int, _ gesture: UInt64) {
    onPress(keyCode)
    ownership.withLock { $0.began(gesture: gesture) }
    let number = session.submit(.press(key: keyCode)) { [weak self] decision in
      switch decision {
      case .started, .done, .ignored: break
      case .busy, .refused: self?.carryOut { $0.refused(gesture: gesture) }
      }
    }
    carryOut { $0.numbered(gesture: gesture, dictation: number) }
    if let command = listening?.retraction { session.submit(command, target: number) }
  }

  /// A dictation reached a terminal phase (H-47).
  package func dictationEnded(_ dictation: UInt64) { carryOut { $0.ended(dictation: dictation) } }

  private func carryOut(_ step: (inout HotkeyOwnership) -> HotkeyOwnership.Effect?) {
    switch ownership.withLock({ step(&$0) }) {
    case .submit(let command, let target)?: session.submit(command, target: target)
    case .reset(let gesture)?: reset(gesture)
    case nil: break
    }
  }

  private func reset(_ gesture: UInt64) {
    tap.withLock { $0 }?.resetRouter(ifGestureIs: gesture)
    onReset(gesture)
  }
}
