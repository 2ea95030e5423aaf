package import BlurtEngine

/// Which dictation the hotkey owns, and what its gestures may do (H-47, H-48, H-83…H-85).
///
/// A gesture acts on the dictation it started and on no other: while a script's dictation runs, the key's own stop must
/// not end it. Pure; `HotkeyBridge` carries the effects out.
package struct HotkeyOwnership: Sendable, Hashable {
  /// What is to be done after an event.
  package enum Effect: Sendable, Hashable {
    /// For the dictation of that number alone: a script's that came in between must not be hit (H-84).
    case submit(SessionCommand, target: UInt64?)
    /// Put the router back, if that gesture is still its live one.
    case reset(gesture: UInt64)
  }

  /// The live gesture whose press was, or will be, accepted.
  private var gesture: UInt64?
  /// The number of its press, once it is known.
  private var dictation: UInt64?
  /// The newest dictation known to have ended.
  private var lastEnded: UInt64 = 0

  package init() {}

  /// A gesture begins; its press is about to be submitted.
  package mutating func began(gesture: UInt64) {
    self.gesture = gesture
    dictation = nil
  }

  /// The press of that gesture got its number.
  package mutating func numbered(gesture: UInt64, dictation: UInt64) -> Effect? {
    guard self.gesture == gesture else { return nil }
    self.dictation = dictation
    // The dictation may have failed before the hotkey's thread got so far.
    return dictation <= lastEnded ? ended(dictation: dictation) : nil
  }

  /// The press of that gesture was dropped or refused: nothing runs that it could act on (H-83).
  package mutating func refused(gesture: UInt64) -> Effect? {
    guard self.gesture == gesture else { return nil }
    self.gesture = nil
    dictation = nil
    return .reset(gesture: gesture)
  }

  /// A dictation reached a terminal phase (H-47). Only the gesture that started it is reset (H-85).
  package mutating func ended(dictation: UInt64) -> Effect? {
    lastEnded = max(lastEnded, dictation)
    guard self.dictation == dictation, let gesture else { return nil }
    self.gesture = nil
    self.dictation = nil
    return .reset(gesture: gesture)
  }

  /// A gesture asks for something (H-49). Nil where it owns nothing (H-84).
  package func acts(gesture: UInt64, command: SessionCommand) -> Effect? {
    self.gesture == gesture ? .submit(command, target: dictation) : nil
  }
}
