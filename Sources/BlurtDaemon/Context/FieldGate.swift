package import BlurtContext
package import BlurtEngine
internal import Synchronization

/// Whether the field of a dictation is known not to take a text (C-42), so that a paste into it would be lost.
///
/// The press has read the field beside the recording. Only where it was one that takes no text is accessibility asked again
/// at the paste, since the user may have gone to another field of the window meanwhile: all other pastes ask nobody and wait
/// for nothing.
package final class FieldGate: Sendable {
  private let suspect = Mutex<Suspect?>(nil)

  /// A window whose field took no text at the press.
  private struct Suspect: Sendable {
    let target: CapturedFocus?
    let title: String?
  }

  package init() {}

  /// A press: nothing is known of its field.
  package func forget() { suspect.withLock { $0 = nil } }

  /// What the press has read of its field.
  package func note(_ reading: FieldReading, of target: CapturedFocus?, title: String?) {
    guard reading.takesNoText else { return }
    suspect.withLock { $0 = Suspect(target: target, title: title) }
  }

  /// Whether it still is so. In doubt it is not.
  package func isClosed(to target: CapturedFocus?, read: FocusContext.Read) async -> Bool {
    guard let suspect = suspect.withLock({ $0 }), suspect.target == target else { return false }
    return await read(suspect.target, suspect.title, false).takesNoText
  }
}

extension FieldReading {
  /// Known not to be editable; what is secure, hangs or tells nothing is not.
  fileprivate var takesNoText: Bool {
    if case .field(let field) = self { field.isEditable == false } else { false }
  }
}
