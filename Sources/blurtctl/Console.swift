internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// Where the program reads and writes: the real streams, or those of a test.
struct Console {
  /// Text for stdout.
  var out: (String) -> Void
  /// Text for stderr.
  var err: (String) -> Void
  /// Stdout is a terminal.
  var outIsTerminal: Bool
  /// Stderr is a terminal.
  var errIsTerminal: Bool
  /// Where `hold` waits for the end of input, and where answers and files come from.
  var input: Int32
  /// The input is a terminal, with a person who can be asked.
  var inputIsTerminal: Bool
  /// The descriptor behind `out`; it shows when its reader has gone. Nil where there is none.
  var outDescriptor: Int32?
  /// Columns of the terminal.
  var width: () -> Int
  /// Seconds since 1970.
  var wallTime: () -> Int64
  /// Where `hold` learns of signals; nil when nothing watches them. Opened on demand, since it takes the signals over.
  var signals: () -> Int32?
  var environment: (String) -> String?

  /// Of a terminal that does not say how wide it is.
  static let usualWidth = 80

  /// The streams of this process.
  static func standard(environment: @escaping (String) -> String?) -> Console {
    Console(
      out: { write($0, to: 1) }, err: { write($0, to: 2) }, outIsTerminal: isatty(1) == 1,
      errIsTerminal: isatty(2) == 1, input: 0, inputIsTerminal: isatty(0) == 1, outDescriptor: 1,
      width: { terminalWidth(1) ?? usualWidth }, wallTime: { Int64(time(nil)) },
      signals: {
        do throws(Errno) {
          // Lives as long as the process.
          return try SignalDescriptor().release()
        } catch {
          return nil
        }
      }, environment: environment)
  }

  /// Writes all of it. A reader that has gone ends the program by SIGPIPE, as it does every filter; `watch`, which
  /// ignores that signal, looks at the descriptor. Where stdout takes nothing for another reason, a full disk for one, the
  /// program ends at once: nobody may believe that the text is in the file.
  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      let code = errno
      if count < 0 && code != EINTR {
        guard descriptor == 1, code != EPIPE else { return }
        write("blurtctl: The output cannot be written (\(String(cString: strerror(code)))).\n", to: 2)
        exit(ExitStatus.failed.rawValue)
      }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  private static func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
