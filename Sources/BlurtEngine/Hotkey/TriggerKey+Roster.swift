extension TriggerKey {
  /// H-62: the default. Rare alone and present on most boards.
  public static let rightControl = TriggerKey(97, "KEY_RIGHTCTRL", "Right Ctrl")
  /// H-63: AltGr on many layouts.
  public static let rightAlt = TriggerKey(
    100, "KEY_RIGHTALT", "Right Alt",
    caution: "On layouts with AltGr, typing a third-level character starts and cancels a dictation.")
  /// H-64.
  public static let leftAlt = TriggerKey(56, "KEY_LEFTALT", "Left Alt")
  /// H-65.
  public static let leftControl = TriggerKey(
    29, "KEY_LEFTCTRL", "Left Ctrl",
    caution: "Left Ctrl is part of very many shortcuts; each one starts and cancels a dictation.")
  /// H-66.
  public static let rightMeta = TriggerKey(
    126, "KEY_RIGHTMETA", "Right Super", caution: "Many desktops act when Super is tapped.")
  /// H-67.
  public static let leftMeta = TriggerKey(
    125, "KEY_LEFTMETA", "Left Super", caution: "The desktop opens its launcher when Super is tapped.")

  /// What an unknown or missing stored value means (H-53).
  public static let `default` = rightControl

  /// The keys to choose from, in the order in which they are shown (H-52, H-62…H-67).
  public static let offered = [rightControl, rightAlt, leftAlt, leftControl, rightMeta, leftMeta]

  /// Keys that work when they are named; many have no keysym under X. Those that write nothing come first.
  public static let alsoAccepted: [TriggerKey] = quiet + mouseButtons + shared

  /// Every key that can dictate. The order is that of H-57: where the bound key stops dictating, the first of these that
  /// still does takes its place.
  public static let all = offered + alsoAccepted

  /// B-21: keys that nobody else acts on, or hardly anybody.
  private static let quiet: [TriggerKey] =
    (13...24).map { TriggerKey(183 + $0 - 13, "KEY_F\($0)", "F\($0)") } + [
      TriggerKey(70, "KEY_SCROLLLOCK", "Scroll Lock"),
      TriggerKey(119, "KEY_PAUSE", "Pause"),
      TriggerKey(127, "KEY_COMPOSE", "Menu"),
      TriggerKey(148, "KEY_PROG1", "Program 1"),
      TriggerKey(149, "KEY_PROG2", "Program 2"),
      TriggerKey(202, "KEY_PROG3", "Program 3"),
      TriggerKey(203, "KEY_PROG4", "Program 4"),
      TriggerKey(167, "KEY_RECORD", "Record"),
      TriggerKey(169, "KEY_PHONE", "Phone"),
      TriggerKey(248, "KEY_MICMUTE", "Microphone Mute", caution: "The desktop mutes the microphone with it."),
      TriggerKey(582, "KEY_VOICECOMMAND", "Voice Command"),
      TriggerKey(583, "KEY_ASSISTANT", "Assistant"),
      TriggerKey(586, "KEY_DICTATE", "Dictate"),
      // H-60: nothing on Linux acts on Fn, so there is nothing to override; most keyboards never report it.
      TriggerKey(
        464, "KEY_FN", "Fn", caution: "Most keyboards keep Fn to themselves and report nothing when it is pressed."),
    ]

  private static let buttonCaution =
    "The window under the pointer acts on the button as well; browsers go a page back or forward."

  /// B-32. The buttons of every click are not among them.
  private static let mouseButtons = [
    TriggerKey(275, "BTN_SIDE", "Mouse Side", caution: buttonCaution),
    TriggerKey(276, "BTN_EXTRA", "Mouse Extra", caution: buttonCaution),
    TriggerKey(277, "BTN_FORWARD", "Mouse Forward", caution: buttonCaution),
    TriggerKey(278, "BTN_BACK", "Mouse Back", caution: buttonCaution),
    TriggerKey(279, "BTN_TASK", "Mouse Task", caution: buttonCaution),
  ]

  private static let shiftCaution =
    "Shift is part of every capital letter; each one starts and cancels a dictation."

  /// Keys that write nothing, but do something of their own whenever they are pressed: a listener swallows nothing.
  private static let shared: [TriggerKey] =
    [
      TriggerKey(54, "KEY_RIGHTSHIFT", "Right Shift", caution: shiftCaution),
      TriggerKey(42, "KEY_LEFTSHIFT", "Left Shift", caution: shiftCaution),
      TriggerKey(58, "KEY_CAPSLOCK", "Caps Lock", caution: "Each press turns Caps Lock on or off as well."),
      TriggerKey(69, "KEY_NUMLOCK", "Num Lock", caution: "Each press turns Num Lock on or off as well."),
      TriggerKey(99, "KEY_SYSRQ", "Print Screen", caution: "The desktop takes a picture of the screen as well."),
      TriggerKey(164, "KEY_PLAYPAUSE", "Play", caution: "The desktop's player starts or pauses as well."),
      TriggerKey(226, "KEY_MEDIA", "Media", caution: "The desktop opens its player as well."),
    ]
    + (1...12).map {
      TriggerKey(
        $0 <= 10 ? 58 + $0 : 76 + $0, "KEY_F\($0)", "F\($0)",
        caution: "Windows and the desktop act on F\($0) as well.")
    }
}
