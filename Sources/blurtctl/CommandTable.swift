internal import BlurtContract

/// The only list of commands and options. The parser, `--help` and the completions are made from it; a test compares it
/// with the man page.
///
/// A new command is a new case of `Verb` and its `entry`; `Program` then says who carries it out.
enum CommandTable {
  /// How a press of a key can be meant.
  static let activations = ["taporhold", "tap", "hold"]

  /// A command with its words on the command line.
  enum Verb: String, CaseIterable {
    case press, release, cancel
    case cancelRecording = "cancel-recording"
    case toggle, hold, watch, status, doctor, last, recent, transcribe
    case spoolList = "spool list"
    case spoolDiscard = "spool discard"
    case retry
    case settingsList = "settings list"
    case settingsGet = "settings get"
    case settingsSet = "settings set"
    case settingsReset = "settings reset"
    case keysList = "keys list"
    case keysSet = "keys set"
    case keysBind = "keys bind"
    case keysOff = "keys off"
    case keysActivation = "keys activation"
    case termsList = "terms list"
    case termsAdd = "terms add"
    case termsRemove = "terms remove"
    case termsSet = "terms set"
    case termsClear = "terms clear"
    case termsExport = "terms export"
    case termsImport = "terms import"
    case stylesList = "styles list"
    case stylesUse = "styles use"
    case stylesAdd = "styles add"
    case stylesRemove = "styles remove"
    case stylesExport = "styles export"
    case stylesImport = "styles import"
    case shortcutsList = "shortcuts list"
    case shortcutsAdd = "shortcuts add"
    case shortcutsRemove = "shortcuts remove"
    case shortcutsExport = "shortcuts export"
    case shortcutsImport = "shortcuts import"
    case devicesList = "devices list"
    case devicesUse = "devices use"
    case soundsList = "sounds list"
    case soundsUse = "sounds use"
    case soundsPlay = "sounds play"
    case keySet = "key set"
    case keyShow = "key show"
    case keyCheck = "key check"
    case keyClear = "key clear"
    case reset, completion, version

    /// The first of two words; nil for a command of one word.
    var group: Group? { rawValue.firstIndex(of: " ").flatMap { Group(rawValue: String(rawValue[..<$0])) } }

    /// The last of its words.
    var lastWord: String { rawValue.split(separator: " ").last.map(String.init) ?? rawValue }

    /// Its options and those that every command takes.
    var options: [Option] { entry.options + Option.common }

    /// The command with what stands for its operands: `settings set NAME VALUE`.
    var synopsis: String { ([rawValue] + entry.operands.map(\.synopsis)).joined(separator: " ") }
  }

  /// Commands of two words, by the first one. Alone it means its `list`, or `show`.
  enum Group: String, CaseIterable {
    case spool, settings, keys, terms, styles, shortcuts, devices, sounds, key

    var verbs: [Verb] { Verb.allCases.filter { $0.group == self } }

    /// What the first word alone means.
    var defaultVerb: Verb {
      switch self {
      case .spool: .spoolList
      case .settings: .settingsList
      case .keys: .keysList
      case .terms: .termsList
      case .styles: .stylesList
      case .shortcuts: .shortcutsList
      case .devices: .devicesList
      case .sounds: .soundsList
      case .key: .keyShow
      }
    }

    var summary: String {
      switch self {
      case .spool: "recordings whose text was not delivered"
      case .settings: "show and change the settings"
      case .keys: "which keys dictate, and how"
      case .terms: "words that the engine should know"
      case .styles: "ways of writing, of which one is used"
      case .shortcuts: "short words that stand for long texts"
      case .devices: "show and choose the microphone"
      case .sounds: "sounds at the start and the end of a recording"
      case .key: "the API key of the engine"
      }
    }
  }

  /// All that is known of a command.
  struct Entry {
    /// At most 49 characters, so that a line of the help fits into 80.
    var summary: String
    /// More about it, below the summary in its own help.
    var details: String
    var operands: [Operand] = []
    /// Besides those that every command takes.
    var options: [Option] = []
    /// Stdout is for a text or a file that is wanted as it is, also in a pipe.
    var printsText = false
  }

  /// A word after the command.
  struct Operand: Hashable {
    /// What may stand there, for the completions.
    enum Kind: Hashable {
      case file, recording, setting, style, term, trigger, key, text, device, pack
      /// Of the setting before it.
      case value
      case words([String])
    }

    enum Count: Hashable {
      case one, optional
      /// One or more.
      case some
    }

    /// What stands for it in the help.
    var name: String
    var kind: Kind
    var count: Count = .one

    var synopsis: String {
      switch count {
      case .one: name
      case .optional: "[\(name)]"
      case .some: "\(name) ..."
      }
    }
  }

  /// An option, by its long name without the dashes.
  enum Option: String, CaseIterable {
    case activation, all, count, engine, format, help, json, levels, meter, names, only, own, quiet, record, replace,
      results
    case socket, style, wait, waybar, yes

    /// Every command takes these.
    static let common: [Option] = [.json, .quiet, .socket, .help]

    /// What stands for its value in the help; nil for a switch.
    var valueName: String? {
      switch self {
      case .activation: "MODE"
      case .count: "N"
      case .engine: "NAME"
      case .format: "FORMAT"
      case .socket: "PATH"
      case .style: "STYLE"
      case .all, .help, .json, .levels, .meter, .names, .only, .own, .quiet, .record, .replace, .results, .wait,
        .waybar, .yes:
        nil
      }
    }

    /// The values it takes, where they can be listed.
    var choices: [String]? {
      switch self {
      case .activation: CommandTable.activations
      case .engine: ["assemblyai", "offline", "openai", "command"]
      case .format: ["json", "tsv", "csv"]
      case .all, .count, .help, .json, .levels, .meter, .names, .only, .own, .quiet, .record, .replace, .results,
        .socket, .style, .wait, .waybar, .yes:
        nil
      }
    }

    /// The one letter that stands for it.
    var letter: Character? {
      switch self {
      case .help: "h"
      case .activation, .all, .count, .format, .json, .levels, .meter, .names, .only, .own, .quiet, .record, .replace,
        .results, .socket, .style, .wait, .waybar, .engine, .yes:
        nil
      }
    }

    var summary: String {
      switch self {
      case .activation: "taporhold, tap or hold"
      case .all: "all of them"
      case .count: "how many"
      case .engine: "the engine that is meant"
      case .format: "json, tsv or csv"
      case .help: "show this help, or that of a command"
      case .json: "print one JSON line instead of text"
      case .levels: "also show microphone levels"
      case .meter: "draw the microphone's level as bars"
      case .names: "print the names alone, one a line"
      case .only: "and no other key"
      case .own: "count as the client on screen meanwhile"
      case .quiet: "print nothing"
      case .record: "listen to the microphone for a second"
      case .replace: "replace what is there"
      case .results: "also show the texts"
      case .socket: "the socket of blurtd, instead of the usual one"
      case .style: "the style of its dictations; default for the base"
      case .wait: "return when the dictation has ended, and print its text"
      case .waybar: "print JSON lines for a status bar, for ever"
      case .yes: "do not ask"
      }
    }

    /// Options that cannot be given together.
    static let exclusive: [(Option, Option)] = [
      (.json, .quiet), (.waybar, .json), (.waybar, .quiet), (.waybar, .meter), (.meter, .json), (.meter, .quiet),
      (.names, .json), (.names, .quiet),
    ]
  }
}
