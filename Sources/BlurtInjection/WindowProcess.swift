internal import BlurtEngine
internal import BlurtOS
internal import Glibc

/// What /proc tells about the program that a window belongs to. Reads the kernel's own files alone; a process that is gone, or
/// that is another user's, tells nothing.
struct WindowProcess {
  /// 0: not known.
  let id: Int32

  /// `/proc/PID/comm`, which the kernel cuts to 15 bytes.
  var name: String? { id > 0 ? Self.name(of: id) : nil }

  /// `withForeground`: also what runs in front in its terminal, for which all processes are looked through.
  func traits(withForeground: Bool) -> ProgramTraits {
    let terminals = terminals
    // Which of several terminals is the one that is seen, nobody tells.
    let front = withForeground && terminals.count == 1 ? terminals.first.flatMap(Self.foreground(ofTerminal:)) : nil
    return ProgramTraits(isElectron: isElectron, hasTerminals: !terminals.isEmpty, foregroundProgram: front)
  }

  /// C-65: the runtime by its name, or a program that has its packed code beside its binary.
  private var isElectron: Bool {
    guard let binary = Self.link("/proc/\(id)/exe"), let slash = binary.lastIndex(of: "/") else { return false }
    return binary[binary.index(after: slash)...].hasPrefix("electron")
      || ["/resources/app.asar", "/resources/default_app.asar"].contains {
        access(String(binary[..<slash]) + $0, F_OK) == 0
      }
  }

  /// The numbers of the pseudo-terminals whose master side the program holds: it shows them.
  private var terminals: Set<Int> {
    var numbers: Set<Int> = []
    for entry in FolderListing.names(in: "/proc/\(id)/fd") where entry.first != "." {
      guard let path = Self.link("/proc/\(id)/fd/\(entry)"), path.hasSuffix("/ptmx"), path.hasPrefix("/dev/") else {
        continue
      }
      let fields = Self.text(of: "/proc/\(id)/fdinfo/\(entry)")?.split(whereSeparator: \.isWhitespace) ?? []
      guard let label = fields.firstIndex(of: "tty-index:"), label + 1 < fields.count else { continue }
      if let number = Int(fields[label + 1]) { numbers.insert(number) }
    }
    return numbers
  }

  /// The name of the program that has a pseudo-terminal's keys.
  private static func foreground(ofTerminal number: Int) -> String? {
    for entry in FolderListing.names(in: "/proc") where entry.first?.isNumber == true {
      // After the name, which may hold anything: state, parent, group, session, terminal, foreground group (proc(5)).
      guard let stat = text(of: "/proc/\(entry)/stat"), let end = stat.lastIndex(of: ")") else { continue }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      guard fields.count > 5, Int(fields[4]) == device(ofTerminal: number), let group = Int32(fields[5]), group > 0
      else { continue }
      return name(of: group)
    }
    return nil
  }

  /// The device number as the kernel writes it: major 136, the minor's upper bits above the major.
  private static func device(ofTerminal number: Int) -> Int { number & 0xff | 136 << 8 | (number & ~0xff) << 12 }

  private static func name(of id: Int32) -> String? {
    guard let line = text(of: "/proc/\(id)/comm")?.prefix(while: { $0 != "\n" }), !line.isEmpty else { return nil }
    return String(line)
  }

  private static func text(of path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY), let bytes = try? file.read(upTo: 4096) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func link(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? 0
      return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
  }
}
