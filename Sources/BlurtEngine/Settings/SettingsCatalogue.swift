internal import AssemblyAI

/// The table of all settings: the only place that says what each one takes, what it means unset, and what it is for.
///
/// The stores read through it, clients are answered from it, and new values are checked by it.
public enum SettingsCatalogue {
  /// One row for each setting, in the order of the roster.
  public static let rows: [SettingDescription] = SettingsKey.allCases.map(make)

  private static let byKey: [SettingsKey: SettingDescription] = Dictionary(
    uniqueKeysWithValues: rows.map { ($0.key, $0) })

  /// The row of a setting.
  public static func row(_ key: SettingsKey) -> SettingDescription { byKey[key] ?? make(key) }

  private static func make(_ key: SettingsKey) -> SettingDescription {
    switch key {
    // MARK: The key and listening
    case .triggerKeyCode:
      SettingDescription(
        key, .string, default: .string(TriggerKey.default.name),
        choices: TriggerKey.all.map(\.name),
        summary: "The key that dictates: its name, or its evdev code.",
        storedForm: TriggerKeyStore.storedForm, normaliser: TriggerKeyStore.normalise)
    case .triggerActivation:
      .choice(
        key, default: ActivationMode.tapOrHold.rawValue, ActivationMode.allCases.map(\.rawValue),
        summary: "Whether a tap of the key latches a recording, holding it records, or both.")
    case .triggerKeyStyles:
      .json(
        key, .object, default: .object([:]), entries: TriggerKeyMap.settingEntries,
        summary: "What each trigger key does, in which style, and how: blurtctl keys shows and changes it.",
        salvage: TriggerKeyStyleStore.salvage, normaliser: TriggerKeyStyleStore.normalise)
    case .triggerKeySounds:
      .json(
        key, .object, default: .object([:]), entries: TriggerKeyMap.settingEntries,
        summary: "The sounds of each trigger key, where they are its own.",
        salvage: TriggerKeySoundStore.salvage, normaliser: { TriggerKeySoundStore.normalise($0) })
    case .listening:
      .bool(key, default: true, summary: "Whether presses are answered.")
    case .listeningMinutes:
      .number(
        key, default: 0, range: 1...1_440, unit: "minutes", orZero: true,
        summary: "How long after the last dictation presses are still answered; 0 for ever.")

    // MARK: Sound in and out
    case .micDeviceUID:
      SettingDescription(
        key, .string, default: .string(MicDeviceStore.systemDefault),
        summary: "The microphone: a device of blurtctl devices, or any ALSA PCM.",
        normaliser: MicDeviceStore.normalise)
    case .soundPack:
      .text(key, summary: "The sounds at the start and the end of a recording: the id of a pack; none is silent.")
    case .pauseMedia:
      .bool(key, default: false, summary: "Whether media players are paused while you dictate; needs playerctl.")

    // MARK: Engines
    case .engineKind:
      .choice(
        key, EngineKind.allCases.map(\.rawValue),
        summary: "What turns speech into text; unset, the service if there is an API key, else the offline engine.")
    case .fallbackEngine:
      .choice(
        key, default: FallbackEngineStore.offline, [FallbackEngineStore.offline, FallbackEngineStore.none],
        summary: "What takes over when the engine cannot be reached or is overloaded.")
    case .offlineIdleMinutes:
      .number(
        key, default: 10, range: 0...1_440, unit: "minutes",
        summary: "How long the offline engine stays in memory unused; 0 for ever.")
    case .stayLocal:
      .bool(
        key, default: false, isOnInDoubt: true, summary: "Whether audio may only go to engines on this computer.")
    case .origin:
      SettingDescription(
        key, .string, default: .string(DictationOrigin.production), summary: "The address of the service.",
        normaliser: DictationOriginStore.normalise)
    case .openAIOrigin:
      SettingDescription(
        key, .string, summary: "The server of the engine openai: its address, with or without /v1, or the whole route.",
        normaliser: OpenAIOriginStore.normalise)
    case .openAIModel:
      SettingDescription(
        key, .string, default: .string(OpenAIModelStore.usual), summary: "The model that the engine openai asks for.",
        normaliser: OpenAIModelStore.normalise)
    case .openAILanguage:
      SettingDescription(
        key, .string, summary: "The language that the engine openai names, such as en; unset, the server finds out.",
        normaliser: OpenAILanguageStore.normalise)
    case .engineCommand:
      .json(
        key, .list, default: .list([]),
        summary: "The program of the engine command and its arguments: WAV on its input, text on its output, no shell.",
        normaliser: EngineCommandStore.normalise)
    case .engineCommandSeconds:
      .number(
        key, default: 60, range: 1...1_200, unit: "seconds",
        summary: "How long that program may take beyond the length of the recording.")

    // MARK: Text
    case .enhancedTranscripts:
      .bool(key, default: true, summary: "Whether the text is polished; if not, every word stays as it was spoken.")
    case .rewriteMode:
      .choice(
        key, default: RewriteModeStore.fast, [RewriteModeStore.fast, RewriteModeStore.smart],
        summary: "How the text is polished: at once, or better and later.")
    case .keyTerms:
      SettingDescription(
        key, .string, default: .string(""), entries: .words,
        summary: "Names and words to listen for, separated by commas.",
        storedForm: { written, _ in written }, normaliser: KeyTermsStore.normalise)
    case .styleProfiles:
      .json(
        key, .list, default: .list([]), entries: StyleProfileStore.settingEntries, limits: StyleProfileStore.limits,
        summary: "Your own styles of writing.",
        salvage: StyleProfileStore.salvage, normaliser: StyleProfileStore.normalise)
    case .activeStyleProfile:
      SettingDescription(
        key, .string, summary: "The style in use, by its id; default for none of your own.",
        normaliser: StyleProfileStore.normaliseActive)
    case .customStyle:
      .text(key, summary: "The one style of earlier versions; read only while there is no list of styles.")
    case .textShortcuts:
      .json(
        key, .list, default: .list([]), entries: TextShortcutStore.settingEntries, limits: TextShortcutStore.limits,
        summary: "Words that are replaced by a longer text.",
        salvage: TextShortcutStore.salvage, normaliser: TextShortcutStore.normalise)
    case .pasteChords:
      SettingDescription(
        key, .object, default: .object([:]), entries: .members(),
        summary: "How to paste into the windows of a class: keys such as ctrl+shift+v, or never.",
        salvage: PasteChordsStore.salvage, normaliser: PasteChordsStore.normalise)
    case .fieldContext:
      .bool(
        key, default: true,
        summary: "Whether the text before the caret is read, by accessibility, and passwords are known as such.")
    case .hideFromHistories:
      .bool(
        key, default: true, summary: "Whether clipboard histories are asked not to keep what passes through a paste.")

    // MARK: What is kept
    case .keepAudio:
      .bool(key, default: true, summary: "Whether recordings are kept until their text has been delivered.")
    case .spoolMaximumMiB:
      .number(
        key, default: 256, range: 1...65_536, unit: "MiB", summary: "The most memory that kept recordings may take.")
    case .spoolMaximumCount:
      .number(
        key, default: 20, range: 1...1_000, unit: "recordings", isWhole: true,
        summary: "The most recordings that are kept.")
    case .spoolMaximumHours:
      .number(
        key, default: 24, range: 0.25...720, unit: "hours", summary: "How long a recording is kept at the most.")
    case .developerMode:
      .bool(key, default: false, summary: "Whether dictations and errors are logged to files on this computer.")

    // MARK: The overlay
    case .overlayCustomOriginX:
      .number(key, unit: "pixels", summary: "Where the overlay was dragged to, from the left.")
    case .overlayCustomOriginY:
      .number(key, unit: "pixels", summary: "Where the overlay was dragged to, from the top.")
    }
  }
}
