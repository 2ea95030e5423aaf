internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// Reads a secret from a pipe or, without echo, from a terminal. Never from the command line: other users see that.
struct SecretInput {
  /// More than any key has, and it bounds the memory for a wrong file.
  static let longest = 4_096

  private let console: Console

  init(_ console: Console) { self.console = console }

  /// The first line of the input, without the white space around it. Further lines are refused: that is no key.
  func read(prompt: String) throws(VerbError) -> String {
    let bytes = console.inputIsTerminal ? try Self.withoutEcho(console, prompt) : Self.all(of: console.input)
    guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("That is no key: a key is one line of text.")
    }
    let lines = text.split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
    guard let line = lines.first else {
      throw .usage("No key was given: write it to the input, or type it on a terminal.")
    }
    guard lines.count == 1 else { throw .usage("That is no key: a key is one line of text.") }
    return TerminalText.line(String(line))
  }

  /// What a pipe or a file holds; one byte more than is taken shows that it is too long.
  private static func all(of descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: longest + 1)
    while bytes.count <= longest {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      let code = errno
      if count < 0 && code == EINTR { continue }
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  // MARK: A terminal

  /// Signals after which the terminal must show again what is typed.
  private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE]

  /// One line, of which nothing is shown. Whatever ends the program meanwhile, the echo comes back first.
  private static func withoutEcho(_ console: Console, _ prompt: String) throws(VerbError) -> [UInt8] {
    let descriptor = console.input
    var original = termios()
    guard tcgetattr(descriptor, &original) == 0 else {
      throw .found("The terminal cannot be set up, and a key must not be shown: use a pipe.", .fault, .failed)
    }
    var earlier = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &earlier)
    let signals: SignalDescriptor
    do throws(Errno) {
      signals = try SignalDescriptor(endings + [SIGTSTP])
    } catch {
      throw .found("The terminal cannot be watched (\(error)): use a pipe.", .fault, .failed)
    }
    defer {
      // Also what was typed and not read: it must not become a command of the shell.
      tcsetattr(descriptor, TCSAFLUSH, &original)
      console.err("\n")
      pthread_sigmask(SIG_SETMASK, &earlier, nil)
    }
    hide(descriptor, original)
    console.err(prompt)
    var bytes: [UInt8] = []
    while true {
      var watched = [descriptor, signals.raw].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&watched, 2, -1) > 0 else { continue }
      if watched[1].revents != 0, let number = signals.next() {
        tcsetattr(descriptor, TCSAFLUSH, &original)
        console.err("\n")
        if number != SIGTSTP {
          // Blocked until now: it ends the program as it would have.
          pthread_sigmask(SIG_SETMASK, &earlier, nil)
          raise(number)
          throw .found("Interrupted; nothing was changed.", .fault, .failed)
        }
        raise(SIGSTOP)
        hide(descriptor, original)
        console.err(prompt)
        bytes = []
        continue
      }
      guard watched[0].revents != 0 else { continue }
      var byte: UInt8 = 0
      let count = Glibc.read(descriptor, &byte, 1)
      let code = errno
      if count < 0 && (code == EINTR || code == EAGAIN) { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
      if bytes.count > longest { break }
    }
    return bytes
  }

  private static func hide(_ descriptor: Int32, _ original: termios) {
    var hidden = original
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    hidden.c_lflag |= tcflag_t(ICANON | ISIG)
    tcsetattr(descriptor, TCSAFLUSH, &hidden)
  }
}
