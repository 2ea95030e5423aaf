internal import BlurtOS
internal import Glibc

/// The link that is missing between a user and a keyboard that may not be read (H-79, B-30).
package enum KeyboardDenial: Sendable, Hashable {
  /// The udev rule is in none of udev's folders.
  case ruleMissing
  /// It is there under a number from 73 on: what carries the tag out has run by then.
  case ruleTooLate(file: String)
  /// It is there, but the device was not handled since.
  case ruleNotApplied
  /// Nobody is logged in at the device's seat.
  case seatEmpty(seat: String)
  /// Another user's session is in front there.
  case seatTaken(seat: String)
  /// The user is a member of the device's group, but this session began before.
  case groupNotYet(group: String)
  /// All of that is right, and still there is no permission.
  case listMissing

  /// What is missing, as the second half of a sentence.
  package var reason: String {
    switch self {
    case .ruleMissing: "the udev rule 70-blurt-uaccess.rules is not installed"
    case .ruleTooLate(let file): "the udev rule \(file) comes too late: its number must be below 73"
    case .ruleNotApplied: "the udev rule is installed, but udev has not applied it to the device yet"
    case .seatEmpty(let seat): "nobody is logged in at \(seat), and only who sits there may read its keys"
    case .seatTaken(let seat): "another user's session is in front on \(seat)"
    case .groupNotYet(let group): "you joined the group `\(group)` after this session began"
    case .listMissing: "udev has not given this session its permission"
    }
  }

  package var remedy: String {
    switch self {
    case .ruleMissing: "sudo scripts/install.sh"
    case .ruleTooLate(let file): "sudo mv \(file) /etc/udev/rules.d/70-blurt-uaccess.rules && \(Self.apply)"
    case .ruleNotApplied, .listMissing: Self.apply
    case .seatEmpty: "log in at the machine itself; from a remote session, use blurtctl"
    case .seatTaken: "bring your session to the front; meanwhile, use blurtctl"
    case .groupNotYet: "log out of every session and in again"
    }
  }

  private static let apply =
    "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=input --action=change"
}

extension KeyboardDenial {
  /// Who asks.
  package struct User: Sendable {
    package let id: UInt32
    package let name: String
    package let groups: Set<UInt32>

    package init(id: UInt32, name: String, groups: Set<UInt32>) {
      self.id = id
      self.name = name
      self.groups = groups
    }

    /// The user of this process.
    package static var current: User {
      var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
      let count = getgroups(Int32(groups.count), &groups)
      let name = getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? ""
      return User(id: getuid(), name: name, groups: Set(groups.prefix(Int(max(0, count)))).union([getegid()]))
    }
  }

  /// Finds out from the files that udev and logind keep for everybody to read. `root` stands for `/` in tests.
  package init(node: String, user: User = .current, root: String = "") {
    let rules = Self.rules(root: root)
    if let group = Self.joinedGroup(of: user, root: root), rules.isEmpty {
      self = .groupNotYet(group: group)
      return
    }
    guard let last = rules.last else {
      self = .ruleMissing
      return
    }
    guard rules.contains(where: { Self.number(of: $0) < 73 }) else {
      self = .ruleTooLate(file: last)
      return
    }
    let device = Self.text("\(root)/sys/class/input/\(node)/dev")?.first ?? ""
    let record = Self.text("\(root)/run/udev/data/c\(device)") ?? []
    // G has every tag that the device has ever had; a record of that kind has a version.
    let hasCurrentTags = record.contains { $0.hasPrefix("V:") }
    guard record.contains(hasCurrentTags ? "Q:uaccess" : "G:uaccess") else {
      self = .ruleNotApplied
      return
    }
    let seat = Self.value(of: "E:ID_SEAT", in: record) ?? "seat0"
    let active = Self.value(of: "ACTIVE_UID", in: Self.text("\(root)/run/systemd/seats/\(seat)") ?? [])
    guard let active else {
      self = .seatEmpty(seat: seat)
      return
    }
    self = active == "\(user.id)" ? .listMissing : .seatTaken(seat: seat)
  }

  /// Files of our rule, of whatever number, in the folders that udev reads.
  private static func rules(root: String) -> [String] {
    [
      "/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/usr/local/lib/udev/rules.d", "/run/udev/rules.d",
      "/etc/udev/rules.d",
    ]
    .flatMap { folder in
      names(in: root + folder).filter { $0.hasSuffix("blurt-uaccess.rules") }.map { "\(folder)/\($0)" }
    }
  }

  private static func number(of rule: String) -> Int {
    Int(rule.split(separator: "/").last.map { $0.prefix(while: \.isNumber) } ?? "") ?? Int.max
  }

  /// The group `input`, if the user is in it by the file but not by the session.
  private static func joinedGroup(of user: User, root: String) -> String? {
    for line in text("\(root)/etc/group") ?? [] where line.hasPrefix("input:") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, let id = UInt32(fields[2]), !user.groups.contains(id) else { return nil }
      return fields[3].split(separator: ",").contains { $0 == user.name } ? "input" : nil
    }
    return nil
  }

  private static func value(of key: String, in lines: [String]) -> String? {
    lines.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
  }

  /// The lines of a small file; nil where it cannot be read.
  private static func text(_ path: String) -> [String]? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var bytes: [UInt8] = []
    let end = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer -> Bool in
      while bytes.count < 1 << 20 {
        guard let count = try? file.read(into: buffer) else { return false }
        if count == 0 { return true }
        bytes += buffer[..<count]
      }
      return true
    }
    guard end else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func names(in folder: String) -> [String] {
    FolderListing.names(in: folder).sorted()
  }
}
