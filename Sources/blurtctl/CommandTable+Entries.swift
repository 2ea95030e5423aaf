extension CommandTable.Verb {
  /// All that is known of this command.
  var entry: CommandTable.Entry {
    typealias Entry = CommandTable.Entry
    typealias Operand = CommandTable.Operand
    let output = Operand(name: "FILE", kind: .file, count: .optional)
    let input = Operand(name: "FILE", kind: .file)
    switch self {
    case .press:
      return Entry(
        summary: "start a dictation",
        details: "Returns as soon as blurtd has accepted. End the recording with \"blurtctl release\".")
    case .release:
      return Entry(
        summary: "end the recording; its text is pasted", details: "Exits with 7 when nothing is recorded.",
        options: [.wait])
    case .cancel:
      return Entry(
        summary: "abandon the dictation, at any stage",
        details: "Nothing is pasted. Exits with 7 when no dictation runs.")
    case .cancelRecording:
      return Entry(
        summary: "end a live recording without a text, and keep it",
        details: "For recovery: a dictation that was released already goes on.")
    case .toggle:
      return Entry(
        summary: "start a dictation, or end the recording that runs",
        details: "blurtd decides which, so two toggles never start two dictations. With --wait the one that ends the "
          + "recording waits; the one that starts it does not.",
        options: [.wait])
    case .hold:
      return Entry(
        summary: "dictate until Enter, end of input, or a signal",
        details: "Prints the text. The recording ends at Enter, at the end of input, or at SIGTERM, SIGINT or SIGHUP, "
          + "and also when this program dies or is stopped for 5 seconds. A second signal cancels.",
        printsText: true)
    case .watch:
      return Entry(
        summary: "show every phase until interrupted",
        details:
          "The first line is the phase of now. Exits with 6 when blurtd goes away, but with --waybar waits for it "
          + "to come back, without starting it. Ends when nobody reads its output any more.",
        options: [.levels, .results, .meter, .waybar, .own])
    case .status: return Entry(summary: "show how blurtd is", details: "Exits with 6 when blurtd does not run.")
    case .doctor:
      return Entry(
        summary: "look at every link, and say what helps",
        details:
          "Types and pastes nothing, and opens the microphone without recording. Exits with 1 when a link fails, "
          + "with 6 when blurtd does not run.",
        options: [.record])
    case .last:
      return Entry(
        summary: "print the last text, even if its paste failed", details: "Exits with 7 when there is none yet.",
        printsText: true)
    case .recent:
      return Entry(
        summary: "list the last dictations, newest first", details: "blurtd keeps them in memory, never on disk.",
        options: [.count])
    case .transcribe:
      return Entry(
        summary: "print the text of a sound file",
        details:
          "Uses the engine that blurtd uses now, or the one that is named, without a fallback. Nothing is pasted.",
        operands: [Operand(name: "FILE", kind: .file)], options: [.engine], printsText: true)
    case .spoolList:
      return Entry(
        summary: "list the kept recordings, newest first",
        details: "With why they were kept. Send one again with \"blurtctl retry ID\".",
        options: [.names])
    case .spoolDiscard:
      return Entry(
        summary: "remove kept recordings for good",
        details: "Give their IDs, or --all, which asks first unless --yes is given.",
        operands: [Operand(name: "ID", kind: .recording, count: .optional)], options: [.all, .yes])
    case .retry:
      return Entry(
        summary: "transcribe a kept recording again",
        details: "The newest one without an ID, with the engine of now, or the one that is named, without a fallback. "
          + "Nothing is pasted; \"blurtctl last\" has the text then.",
        operands: [Operand(name: "ID", kind: .recording, count: .optional)], options: [.engine, .wait])
    case .settingsList:
      return Entry(
        summary: "list the settings with their values", details: "A star marks those that are not the default.",
        options: [.names])
    case .settingsGet:
      return Entry(
        summary: "print the value of a setting",
        details: "The bare value, lists as JSON; nothing where there is none. On a terminal also what it means and "
          + "takes. The prefix Blurt may be left out.",
        operands: [Operand(name: "NAME", kind: .setting)], printsText: true)
    case .settingsSet:
      return Entry(
        summary: "store a setting",
        details: "Numbers, words and on or off as they are; lists as JSON. Takes effect at the next dictation.",
        operands: [Operand(name: "NAME", kind: .setting), Operand(name: "VALUE", kind: .value)])
    case .settingsReset:
      return Entry(
        summary: "put a setting back to its default",
        details: "With --all every setting; asks first unless --yes is "
          + "given.",
        operands: [Operand(name: "NAME", kind: .setting, count: .optional)], options: [.all, .yes])
    case .keysList:
      return Entry(
        summary: "list the keys with what they do",
        details:
          "The usual ones and those that do something; with --all every key that can dictate. A star marks the one "
          + "whose style is the active one.",
        options: [.all, .names])
    case .keysSet:
      return Entry(
        summary: "let a key dictate, or not",
        details:
          "KEY is a name such as KEY_F13, a code or a label. Several keys may dictate, each in a style of its own; "
          + "with --only no other does. The style of the key with the star is the active one, so for it --style "
          + "chooses that.",
        operands: [
          Operand(name: "KEY", kind: .key),
          Operand(name: "CHOICE", kind: .words(["dictate", "off", "readaloud", "ask"])),
        ], options: [.style, .activation, .only])
    case .keysBind:
      return Entry(
        summary: "make a key the one that dictates",
        details:
          "It dictates in the active style. The one before it no longer dictates, unless it was told to besides.",
        operands: [Operand(name: "KEY", kind: .key)])
    case .keysOff:
      return Entry(
        summary: "let a key do nothing",
        details: "When the key with the star is off, the next one that dictates gets it.",
        operands: [Operand(name: "KEY", kind: .key)])
    case .keysActivation:
      return Entry(
        summary: "say how presses are meant, for every key",
        details:
          "taporhold: a hold of a second dictates while it lasts, a tap starts and the next one ends. tap: every "
          + "press is a tap. hold: every press is a hold. With KEY for that key alone.",
        operands: [
          Operand(name: "MODE", kind: .words(CommandTable.activations)),
          Operand(name: "KEY", kind: .key, count: .optional),
        ])
    case .termsList: return Entry(summary: "list the terms", details: "In your order.", options: [.names])
    case .termsAdd:
      return Entry(
        summary: "add terms at the end", details: "What is there already, in whatever case, stays as it is.",
        operands: [Operand(name: "TERM", kind: .text, count: .some)])
    case .termsRemove:
      return Entry(
        summary: "remove terms", details: "Exits with 7 when none of them is there.",
        operands: [Operand(name: "TERM", kind: .term, count: .some)])
    case .termsSet:
      return Entry(
        summary: "replace all terms", details: "A comma ends a term.",
        operands: [Operand(name: "TERM", kind: .text, count: .some)])
    case .termsClear: return Entry(summary: "remove all terms", details: "Puts the setting back to its default.")
    case .termsExport:
      return Entry(
        summary: "write the terms, one a line", details: "To the output, or to a file.", operands: [output],
        printsText: true)
    case .termsImport:
      return Entry(
        summary: "read terms, one a line or between commas",
        details: "Those that are not there yet are added at the end; - reads the input.", operands: [input],
        options: [.replace])
    case .stylesList:
      return Entry(
        summary: "list the styles", details: "A star marks the one that is used. \"default\" is the base style alone.",
        options: [.names])
    case .stylesUse:
      return Entry(
        summary: "choose the style for the next dictation",
        details: "By its name or ID; \"default\" for the base style "
          + "alone.",
        operands: [Operand(name: "STYLE", kind: .style)])
    case .stylesAdd:
      return Entry(
        summary: "add a style",
        details: "TEXT tells the engine how to write; - reads it from the input. At most four "
          + "styles, a name has at most 24 characters.",
        operands: [
          Operand(name: "NAME", kind: .style), Operand(name: "TEXT", kind: .text, count: .some),
        ], options: [.replace])
    case .stylesRemove:
      return Entry(
        summary: "remove styles", details: "Exits with 7 when none of them is there.",
        operands: [Operand(name: "STYLE", kind: .style, count: .some)])
    case .stylesExport:
      return Entry(
        summary: "write the styles as JSON", details: "To the output, or to a file.", operands: [output],
        printsText: true)
    case .stylesImport:
      return Entry(
        summary: "read styles from JSON",
        details: "As export writes them; - reads the input. A style of the same name takes the place of the old one.",
        operands: [input], options: [.replace])
    case .shortcutsList: return Entry(summary: "list the shortcuts", details: "In your order.", options: [.names])
    case .shortcutsAdd:
      return Entry(
        summary: "add a shortcut",
        details: "Whenever TRIGGER is spoken, EXPANSION is written; - reads it from the input.",
        operands: [Operand(name: "TRIGGER", kind: .trigger), Operand(name: "EXPANSION", kind: .text)],
        options: [.replace])
    case .shortcutsRemove:
      return Entry(
        summary: "remove shortcuts", details: "Exits with 7 when none of them is there.",
        operands: [Operand(name: "TRIGGER", kind: .trigger, count: .some)])
    case .shortcutsExport:
      return Entry(
        summary: "write the shortcuts as JSON, TSV or CSV",
        details: "To the output, or to a file, whose name then "
          + "says the format.",
        operands: [output], options: [.format], printsText: true)
    case .shortcutsImport:
      return Entry(
        summary: "read shortcuts from JSON, TSV or CSV",
        details: "As export writes them; - reads the input. A shortcut of the same trigger takes the place of the old "
          + "one. A first row trigger,expansion is skipped. What cannot be used is named and left out.",
        operands: [input], options: [.format, .replace])
    case .devicesList:
      return Entry(
        summary: "list the microphones",
        details: "With the names that stay the same after re-plugging. A star marks the chosen one.", options: [.names])
    case .devicesUse:
      return Entry(
        summary: "choose the microphone for the next dictation",
        details: "By its name or its label; \"default\" for that of the system. While it is not connected, the default "
          + "one is used. Any other ALSA PCM: blurtctl settings set MicDeviceUID NAME",
        operands: [Operand(name: "NAME", kind: .device)])
    case .soundsList:
      return Entry(
        summary: "list the sound packs",
        details: "With frequency, length and level of each sound. A star marks the chosen one.", options: [.names])
    case .soundsUse:
      return Entry(
        summary: "choose the sound pack", details: "\"none\" is silent.",
        operands: [Operand(name: "PACK", kind: .pack)])
    case .soundsPlay:
      return Entry(
        summary: "play the sounds of a pack",
        details:
          "Both, or \"start\" or \"stop\"; of the chosen pack unless one is named. Exits with 1 when they cannot be "
          + "played, with 3 while a dictation runs, with 7 when the pack is silent.",
        operands: [
          Operand(name: "PACK", kind: .pack, count: .optional),
          Operand(name: "CUE", kind: .words(SoundsVerb.cues), count: .optional),
        ])
    case .keySet:
      return Entry(
        summary: "check and store the API key",
        details:
          "Reads it from the input, or from the terminal without showing it; it is never an argument. Exits with "
          + "10 when it could not be stored, 11 when the service refuses it, 12 when it could not be checked; the old "
          + "key then stays.",
        options: [.engine])
    case .keyShow:
      return Entry(
        summary: "show the end of the stored API key", details: "And where it is stored.", options: [.engine])
    case .keyCheck:
      return Entry(
        summary: "ask the service whether it takes the key",
        details: "Looks into the keyring again. Exits with 11 and 12 as \"blurtctl key set\" does.", options: [.engine])
    case .keyClear: return Entry(summary: "remove the stored API key", details: "Wherever it is.", options: [.engine])
    case .reset:
      return Entry(
        summary: "remove settings, key, recordings and logs",
        details:
          "Every setting, the stored API key, the kept recordings, the remembered texts (blurtctl last, blurtctl "
          + "recent) and the logs; copies named settings.json.broken stay. Asks first unless --yes is given. Exits with 1 "
          + "when something survived.", options: [.yes])
    case .completion:
      return Entry(
        summary: "print the completions for a shell", details: "Does not need blurtd.",
        operands: [Operand(name: "SHELL", kind: .words(["bash", "zsh", "fish"]))], printsText: true)
    case .version: return Entry(summary: "print the version", details: "Does not need blurtd.", printsText: true)
    }
  }
}
