import BlurtDaemon
import Testing

/// Each link between a user and a keyboard, broken one at a time in a tree of files as udev and logind keep them.
struct KeyboardDenialTests {
  private static let rule = "usr/lib/udev/rules.d/70-blurt-uaccess.rules"
  private static let user = KeyboardDenial.User(id: 1000, name: "tester", groups: [1000])

  /// Everything is right, but for the permission itself.
  private func tree(_ files: [String: String?] = [:]) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    let whole: [String: String?] = [
      Self.rule: "# rules\n",
      "sys/class/input/event3/dev": "13:67\n",
      "run/udev/data/c13:67": "I:1\nE:ID_INPUT_KEYBOARD=1\nG:uaccess\nQ:uaccess\nV:1\n",
      "run/systemd/seats/seat0": "IS_SEAT0=1\nACTIVE=2\nACTIVE_UID=1000\n",
      "etc/group": "root:x:0:\ninput:x:104:\n",
    ]
    for (name, text) in whole.merging(files, uniquingKeysWith: { $1 }) {
      if let text { try folder.write(text, to: name) }
    }
    return folder
  }

  private func denial(
    _ files: [String: String?], user: KeyboardDenial.User = user
  ) throws -> KeyboardDenial {
    let folder = try tree(files)
    return KeyboardDenial(node: "event3", user: user, root: folder.path)
  }

  @Test("B-30 H-79 each missing link is told apart from the others")
  func links() throws {
    #expect(try denial([Self.rule: nil]) == .ruleMissing)
    #expect(
      try denial([Self.rule: nil, "etc/udev/rules.d/99-blurt-uaccess.rules": ""])
        == .ruleTooLate(file: "/etc/udev/rules.d/99-blurt-uaccess.rules"))
    #expect(try denial(["run/udev/data/c13:67": "E:ID_INPUT_KEYBOARD=1\n"]) == .ruleNotApplied)
    #expect(try denial(["run/udev/data/c13:67": nil]) == .ruleNotApplied)
    #expect(try denial(["run/udev/data/c13:67": "G:uaccess\nV:1\n"]) == .ruleNotApplied)
    #expect(try denial(["run/systemd/seats/seat0": "IS_SEAT0=1\n"]) == .seatEmpty(seat: "seat0"))
    #expect(try denial(["run/systemd/seats/seat0": nil]) == .seatEmpty(seat: "seat0"))
    #expect(try denial(["run/systemd/seats/seat0": "ACTIVE_UID=1001\n"]) == .seatTaken(seat: "seat0"))
    #expect(
      try denial(["run/udev/data/c13:67": "E:ID_SEAT=seat1\nG:uaccess\n"]) == .seatEmpty(seat: "seat1"))
    #expect(try denial([:]) == .listMissing)
  }

  @Test("B-30 who joined the group after log-in is told to log in again; who is in it already is not")
  func group() throws {
    let joined: [String: String?] = [Self.rule: nil, "etc/group": "input:x:104:other,tester\n"]
    #expect(try denial(joined) == .groupNotYet(group: "input"))
    #expect(
      try denial(joined, user: KeyboardDenial.User(id: 1000, name: "tester", groups: [104])) == .ruleMissing)
    #expect(try denial([Self.rule: nil, "etc/group": "input:x:104:other\n"]) == .ruleMissing)
    #expect(try denial([Self.rule: nil, "etc/group": "garbage"]) == .ruleMissing)
  }

  @Test(
    "B-30 a rule below 73 counts in whichever of udev's folders it lies",
    arguments: [
      "usr/local/lib/udev/rules.d/70-blurt-uaccess.rules", "etc/udev/rules.d/71-blurt-uaccess.rules",
      "run/udev/rules.d/70-blurt-uaccess.rules",
    ])
  func folders(rule: String) throws {
    #expect(try denial([Self.rule: nil, rule: ""]) == .listMissing)
  }

  @Test("H-79 each has a reason and a remedy of its own, and none asks for the group first")
  func words() {
    let all: [KeyboardDenial] = [
      .ruleMissing, .ruleTooLate(file: "/etc/udev/rules.d/99-blurt-uaccess.rules"), .ruleNotApplied,
      .seatEmpty(seat: "seat0"), .seatTaken(seat: "seat0"), .groupNotYet(group: "input"), .listMissing,
    ]
    #expect(Set(all.map(\.reason)).count == all.count)
    #expect(all.allSatisfy { !$0.remedy.isEmpty && !$0.remedy.contains("usermod") })
  }
}
