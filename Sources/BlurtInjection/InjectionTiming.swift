/// Every duration and size of the injector, in one place so that tests can shrink them.
package struct InjectionTiming: Sendable, Hashable {
  /// C-48: the old clipboard never comes back sooner after the chord.
  package var settleFloor: Duration
  /// DESIGN.md, numbers: the old clipboard comes back when the target has read nothing further for so long.
  package var quietAfterRead: Duration
  /// DESIGN.md, numbers: the old clipboard comes back at last when the target never read.
  package var neverRead: Duration
  /// How long the next insert waits for a target that has not read the former text yet (C-35).
  package var takeover: Duration
  /// C-40.
  package var activation: Duration
  /// C-40: how often focus is looked at while waiting, beside the window manager's own events.
  package var activationPoll: Duration
  /// C-74: for the old clipboard as a whole.
  package var snapshot: Duration
  /// C-74: bytes of the old clipboard as a whole, as the owner sent them.
  package var snapshotByteLimit: Int
  /// DESIGN.md, numbers: how long the user's own modifiers are waited for.
  package var modifierWait: Duration
  /// A reader of a large text that takes no further piece for so long is given up.
  package var transferStall: Duration
  /// How long a clipboard manager may take to save what is left at exit.
  package var handover: Duration
  /// The press never waits longer for the frontmost window, even if the display hangs.
  package var focusBudget: Duration

  package static let standard = InjectionTiming(
    settleFloor: .milliseconds(400), quietAfterRead: .milliseconds(200), neverRead: .seconds(8),
    takeover: .seconds(2), activation: .milliseconds(350), activationPoll: .milliseconds(10),
    snapshot: .milliseconds(500), snapshotByteLimit: 64 << 20, modifierWait: .seconds(1),
    transferStall: .seconds(5), handover: .seconds(1), focusBudget: .milliseconds(250))
}
