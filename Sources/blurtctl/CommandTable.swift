/// The only list of commands and options. The parser, `--help` and later the completions are made from it; a test compares
/// it with the man page.
enum CommandTable {
  /// An option, by its long name without the dashes.
  enum Option: String, CaseIterable {
    case help, json, levels, quiet, record, results, socket, wait

    /// What stands for its value in the help; nil for a switch.
    var valueName: String? {
      switch self {
      case .socket: "PATH"
      case .help, .json, .levels, .quiet, .record, .results, .wait: nil
      }
    }

    /// The one letter that stands for it.
    var letter: Character? {
      switch self {
      case .help: "h"
      case .json, .levels, .quiet, .record, .results, .socket, .wait: nil
      }
    }

    var summary: String {
      switch self {
      case .help: "show this help, or that of a command"
      case .json: "print one JSON line instead of text"
      case .levels: "also show microphone levels"
      case .quiet: "print nothing"
      case .record: "listen to the microphone for a second"
      case .results: "also show the texts"
      case .socket: "the socket of blurtd, instead of the usual one"
      case .wait: "return when the dictation has ended, and print its text"
      }
    }

    /// Every command takes these.
    static let common: [Option] = [.json, .quiet, .socket, .help]
  }

  /// A command, by its name on the command line.
  enum Verb: String, CaseIterable {
    case press, release, cancel
    case cancelRecording = "cancel-recording"
    case toggle, hold, watch, status, doctor, last, transcribe, version

    /// What stands for its operand in the help; nil where it takes none.
    var operandName: String? {
      switch self {
      case .transcribe: "FILE.wav"
      case .press, .release, .cancel, .cancelRecording, .toggle, .hold, .watch, .status, .doctor, .last, .version: nil
      }
    }

    /// Its options besides those that every command takes.
    var ownOptions: [Option] {
      switch self {
      case .release, .toggle: [.wait]
      case .watch: [.levels, .results]
      case .doctor: [.record]
      case .press, .cancel, .cancelRecording, .hold, .status, .last, .transcribe, .version: []
      }
    }

    var options: [Option] { ownOptions + Option.common }

    var summary: String {
      switch self {
      case .press: "start a dictation"
      case .release: "end the recording; its text is pasted"
      case .cancel: "abandon the dictation, at any stage"
      case .cancelRecording: "end a live recording without a text, and keep it"
      case .toggle: "start a dictation, or end the recording that runs"
      case .hold: "dictate until Enter, end of input, or a signal"
      case .watch: "show every phase until interrupted"
      case .status: "show how blurtd is"
      case .doctor: "look at every link, and say what helps"
      case .last: "print the last text, even if its paste failed"
      case .transcribe: "print the text of a sound file"
      case .version: "print the version"
      }
    }

    /// More about it, below the options in its own help.
    var details: String {
      switch self {
      case .press:
        "Returns as soon as blurtd has accepted. End the recording with \"blurtctl release\"."
      case .release: "Exits with 7 when nothing is recorded."
      case .cancel: "Nothing is pasted. Exits with 7 when no dictation runs."
      case .cancelRecording: "For recovery: a dictation that was released already goes on."
      case .toggle: "blurtd decides which, so two toggles never start two dictations."
      case .hold:
        "Prints the text. The recording ends at Enter, at the end of input, or at SIGTERM, SIGINT or SIGHUP, and also when "
          + "this program dies. A second signal cancels."
      case .watch: "The first line is the phase of now. Exits with 6 when blurtd goes away."
      case .status: "Exits with 6 when blurtd does not run."
      case .doctor:
        "Types and pastes nothing, and opens the microphone without recording. Exits with 1 when a link fails, with 6 when "
          + "blurtd does not run."
      case .last: "Exits with 7 when there is none yet."
      case .transcribe: "Uses the engine that blurtd uses now. Nothing is pasted."
      case .version: "Does not need blurtd."
      }
    }
  }
}
