import BlurtContract
import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("SettingsFile", .timeLimit(.minutes(1))) struct SettingsFileTests {
  private let folder: ScratchFolder
  private let path: String
  private let file: SettingsFile
  private let changes = Box<[[String]]>([])

  init() throws {
    folder = try ScratchFolder()
    path = folder.path + "/settings.json"
    file = SettingsFile(path: path)
    file.onChange { [changes] in changes.append($0) }
  }

  private var text: String? { text(path) }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func mode(_ path: String) -> UInt32 {
    var found = stat()
    return stat(path, &found) == 0 ? found.st_mode & 0o7777 : 0
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private func set(_ key: String, _ value: JSONValue?) throws(SettingsFileError) -> String? {
    try file.change { document in
      document[key] = value
      return true
    }
  }

  /// Overwrites in place, as many editors do: same inode, no rename.
  private func overwrite(_ text: String) throws {
    let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    try Array(text.utf8).withUnsafeBytes { bytes in try file.writeAll(bytes) }
    try file.close()
  }

  // MARK: Writing

  @Test("P-08 a setting is stored in a private file in a private folder, which are made when they are missing")
  func firstWrite() throws {
    let file = SettingsFile(path: folder.path + "/config/blurt/settings.json")
    try file.store(.number(5), forKey: "BlurtOfflineIdleMinutes")
    #expect(text(file.path) == "{\n  \"BlurtOfflineIdleMinutes\": 5\n}\n")
    #expect(mode(file.path) == 0o600)
    #expect(mode(folder.path + "/config/blurt") == 0o700)
    #expect(mode(folder.path + "/config") == 0o700)
    #expect(Settings(backing: file).offlineIdleMinutes == 5)
  }

  @Test("P-08 P-26 P-28 a write keeps the keys of others, and takes a file that others may read back to its owner")
  func keepsOthers() throws {
    try folder.write(
      #"{"SULastCheckTime": "2026", "BlurtSigningIdentity": null, "BlurtKeyTerms": 3, "BlurtFuture": {"a": [1, 2.0]}}"#,
      to: "settings.json", mode: 0o644)
    try file.store(.bool(false), forKey: "BlurtKeepAudio")
    #expect(
      text == """
        {
          "BlurtFuture": {"a": [1, 2.0]},
          "BlurtKeepAudio": false,
          "BlurtKeyTerms": 3,
          "BlurtSigningIdentity": null,
          "SULastCheckTime": "2026"
        }

        """)
    #expect(mode(path) == 0o600)
    #expect(names == ["settings.json"])
  }

  @Test("P-07 a stored value that is not understood is not overwritten until the user writes it")
  func notOverwritten() throws {
    try folder.write(#"{"BlurtTextShortcuts": {"version": 9}, "BlurtKeepAudio": "soon"}"#, to: "settings.json")
    #expect(Settings(backing: file).keepsAudio)
    try file.store(.string("a"), forKey: "BlurtKeyTerms")
    #expect(text?.contains(#""BlurtTextShortcuts": {"version": 9}"#) == true)
    #expect(text?.contains(#""BlurtKeepAudio": "soon""#) == true)
    try file.store(.bool(false), forKey: "BlurtKeepAudio")
    #expect(text?.contains("soon") == false)
  }

  @Test("P-08 the link of a symbolic link stays, and the file behind it is replaced")
  func symbolicLink() throws {
    mkdir(folder.path + "/dotfiles", 0o755)
    try folder.write(#"{"x": 1}"#, to: "dotfiles/blurt.json")
    symlink("dotfiles/blurt.json", path)
    try file.store(.bool(true), forKey: "BlurtStayLocal")
    #expect(text(folder.path + "/dotfiles/blurt.json") == "{\n  \"BlurtStayLocal\": true,\n  \"x\": 1\n}\n")
    var found = stat()
    #expect(lstat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK)
    #expect(names == ["dotfiles", "settings.json"])
  }

  @Test("P-08 a symbolic link that leads nowhere yet is followed")
  func danglingLink() throws {
    symlink("second", path)
    symlink(folder.path + "/place/third.json", folder.path + "/second")
    try file.store(.bool(true), forKey: "BlurtStayLocal")
    #expect(text(folder.path + "/place/third.json")?.contains("BlurtStayLocal") == true)
    #expect(Settings(backing: file).staysLocal)
    // A circle leads nowhere at all.
    unlink(path)
    symlink("settings.json", path)
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtStayLocal") }
    #expect(file.problem?.contains("is a link to itself") == true)
    #expect(file.problem?.contains("rm \(path)") == true)
    #expect(settings(file).staysLocal)
  }

  @Test("nothing is written where nothing changes")
  func noChange() throws {
    #expect(try set("BlurtKeyTerms", nil) == nil)
    #expect(names == [])
    try file.store(.string("a"), forKey: "BlurtKeyTerms")
    var before = stat()
    stat(path, &before)
    try file.store(.string("a"), forKey: "BlurtKeyTerms")
    var after = stat()
    stat(path, &after)
    #expect(before.st_ino == after.st_ino && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
  }

  @Test("P-09 an edit that lands between reading and writing is not lost")
  func race() throws {
    let other = Box<[String]>([#"{"BlurtStayLocal": true}"#, #"{"BlurtStayLocal": true, "mine": 1}"#])
    let path = path
    let file = SettingsFile(
      writer: SettingsFileWriter(
        path: path,
        beforeRename: {
          let text = other.update { $0.isEmpty ? nil : $0.removeFirst() }
          // As an editor does that writes a new file.
          guard let text else { return }
          try? Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        }))
    try file.store(.string("a"), forKey: "BlurtKeyTerms")
    #expect(text == "{\n  \"BlurtKeyTerms\": \"a\",\n  \"BlurtStayLocal\": true,\n  \"mine\": 1\n}\n")
  }

  @Test("P-09 a program that never stops writing is named, and nothing of it is lost")
  func busy() throws {
    let count = Box(0)
    let path = path
    let file = SettingsFile(
      writer: SettingsFileWriter(
        path: path,
        beforeRename: {
          count.update { $0 += 1 }
          try? Data("{\"x\": \(count.value)}".utf8).write(to: URL(filePath: path), options: .atomic)
        }))
    #expect(throws: SettingsFileError.busy(path: path)) { try file.store(.string("a"), forKey: "BlurtKeyTerms") }
    #expect(text == "{\"x\": \(SettingsFileWriter.attemptCount)}")
    #expect(names == ["settings.json"])
  }

  @Test("many writers at once lose nothing of each other")
  func writers() async throws {
    let file = file
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try? file.store(.number(Double(number)), forKey: "key\(number)") }
        group.addTask { _ = Settings(backing: file).keyTerms }
      }
    }
    let document = try SettingsDocument(Array(try #require(text).utf8))
    for number in 0..<20 { #expect(document["key\(number)"] == .integer(Int64(number))) }
  }

  @Test("a number that JSON does not have is refused, and so is more than the file may hold")
  func unstorable() throws {
    #expect(throws: SettingsFileError.notJSON) { try file.store(.number(.nan), forKey: "a") }
    #expect(throws: SettingsFileError.notJSON) { try file.store(.list([.number(.infinity)]), forKey: "a") }
    let large = String(repeating: "x", count: SettingsFileContent.largestFile)
    #expect(throws: SettingsFileError.tooLarge) { try file.store(.string(large), forKey: "a") }
    #expect(names == [])
  }

  // MARK: Broken files

  @Test("P-10 a broken file is moved aside at the first write and never overwritten")
  func setAside() throws {
    let broken = #"{"BlurtKeyTerms": "precious", "#
    try folder.write(broken, to: "settings.json", mode: 0o640)
    #expect(file.value(forKey: "BlurtKeyTerms") == nil)
    #expect(text == broken)
    #expect(try set("BlurtKeepAudio", false) == path + ".broken")
    #expect(text(path + ".broken") == broken)
    // Nobody knows whether the broken file asked for it.
    #expect(text == "{\n  \"BlurtKeepAudio\": false,\n  \"BlurtStayLocal\": true\n}\n")
    #expect(mode(path + ".broken") == 0o600)
    #expect(file.problem == nil)
    // The next ones find other names.
    for (number, content) in [(2, "[]"), (3, "nonsense")] {
      try overwrite(content)
      #expect(try set("BlurtKeepAudio", false) == path + ".broken-\(number)")
      #expect(text(path + ".broken-\(number)") == content)
    }
    #expect(names == ["settings.json", "settings.json.broken", "settings.json.broken-2", "settings.json.broken-3"])
  }

  @Test("P-10 where nothing is written in the end, the broken file keeps its only name")
  func setAsideUndone() throws {
    try folder.write("nonsense", to: "settings.json")
    #expect(try set("BlurtKeepAudio", nil) == nil)
    #expect(names == ["settings.json"])
    // Mended by its owner at the last moment.
    let mended = Box<String?>("{\"x\": 1}")
    let path = path
    let file = SettingsFile(
      writer: SettingsFileWriter(
        path: path,
        beforeRename: {
          guard let text = mended.update({ $0.take() }) else { return }
          try? Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        }))
    try file.store(.bool(false), forKey: "BlurtKeepAudio")
    #expect(text?.contains("\"x\": 1") == true)
    #expect(text?.contains("BlurtKeepAudio") == true)
    #expect(names == ["settings.json"])
  }

  @Test("P-10 a file that is too large is not read, and is moved aside")
  func tooLarge() throws {
    let filler = String(repeating: "x", count: SettingsFileContent.largestFile)
    let large = "{\"BlurtStayLocal\": true, \"a\": \"\(filler)\"}"
    try folder.write(large, to: "settings.json")
    #expect(Settings(backing: file).staysLocal)
    #expect(file.problem?.contains("larger than 1 MiB") == true)
    #expect(try set("BlurtKeepAudio", false) == path + ".broken")
    #expect(text(path + ".broken") == large)
  }

  @Test("a pipe, a folder or a device at the path holds nothing up, is said to be wrong, and is not touched")
  func notAFile() throws {
    mkfifo(path, 0o600)
    #expect(Settings(backing: file).keepsAudio)
    #expect(file.problem?.contains("not a regular file") == true)
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtKeepAudio") }
    #expect(names == ["settings.json"])
    unlink(path)
    mkdir(path, 0o700)
    #expect(file.problem?.contains("not a regular file") == true)
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtKeepAudio") }
    rmdir(path)
    symlink("/dev/zero", path)
    #expect(file.problem?.contains("not a regular file") == true)
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtKeepAudio") }
    unlink(path)
    #expect(file.problem == nil)
    try file.store(.bool(false), forKey: "BlurtKeepAudio")
  }

  @Test("a folder that may not be written, or that is a file, is an error that says what to do")
  func notWritable() throws {
    try folder.write("x", to: "blurt")
    let below = SettingsFile(path: folder.path + "/blurt/settings.json")
    #expect(Settings(backing: below).keepsAudio)
    let message = #expect(throws: SettingsFileError.self) { try below.store(.bool(false), forKey: "BlurtKeepAudio") }
    #expect(message?.description.contains("Move it away") == true)
    // Nobody may make a folder there, not even the administrator.
    let system = SettingsFile(path: "/sys/blurt/settings.json")
    #expect(throws: SettingsFileError.self) { try system.store(.bool(false), forKey: "BlurtKeepAudio") }
    for (code, word) in [(EACCES, "chmod u+rwx /f"), (EROFS, "BLURT_CONFIG_DIR"), (ENOSPC, "Free some"), (EIO, "/f")] {
      #expect(SettingsFileError.system(folder: "/f", Errno(code, call: "x")).description.contains(word))
    }
  }

  @Test(
    "a read-only folder is a typed error, and the old value stays",
    .enabled(if: geteuid() != 0, "the administrator may write everywhere"))
  func readOnlyFolder() throws {
    try folder.write(#"{"BlurtKeepAudio": true}"#, to: "settings.json")
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtKeepAudio") }
    #expect(Settings(backing: file).keepsAudio)
  }

  @Test(
    "a file that may not be read is not replaced, and is read when it may be",
    .enabled(if: geteuid() != 0, "the administrator may read everything"))
  func unreadable() throws {
    try folder.write(#"{"BlurtKeepAudio": false}"#, to: "settings.json", mode: 0)
    #expect(Settings(backing: file).keepsAudio)
    #expect(file.problem?.contains("chmod u+rw") == true)
    #expect(throws: SettingsFileError.self) { try file.store(.bool(false), forKey: "BlurtStayLocal") }
    chmod(path, 0o600)
    #expect(!Settings(backing: file).keepsAudio)
  }

  @Test("every stored value that is not used is named with its setting, and every name that is mistyped")
  func unusableValues() throws {
    try folder.write(
      #"""
      {"BlurtTriggerActivation": "Wink", "BlurtKeytrms": "x", "BlurtFutureThing": 1, "Other": 2, "Blurt": 3,
      "BlurtKeepAudio": 1e400, "BlurtStayLocal": "yes", "BlurtSigningIdentity": "x", "BlurtRewriteMode": "Fast",
      "BlurtRewriteMode": "Smart"}
      """#, to: "settings.json")
    let complaints = file.complaints
    #expect(
      complaints.map(\.setting) == [
        "BlurtStayLocal", "BlurtTriggerActivation", "BlurtRewriteMode", "BlurtKeepAudio", "Blurt", "BlurtFutureThing",
        "BlurtKeytrms",
      ])
    #expect(complaints.map(\.isKnown) == [true, true, true, true, false, false, false])
    #expect(complaints[1].problem.hasPrefix("The stored value is not used: "))
    #expect(complaints[2].problem.contains("more than once"))
    #expect(complaints.last?.sentence == "BlurtKeytrms: There is no such setting; did you mean BlurtKeyTerms?")
    #expect(complaints[5].problem == "There is no such setting in this version.")
    #expect(file.complaint?.hasPrefix("BlurtStayLocal: ") == true)
    #expect(file.complaint?.hasSuffix("blurtctl doctor lists all 7 faults of the settings.") == true)
    #expect(file.problem == nil)
    #expect(settings(file).usesSmartRewrite && settings(file).keepsAudio && settings(file).staysLocal)
    try folder.write(#"{"BlurtPasteChords": {"x": null}}"#, to: "settings.json")
    #expect(file.complaint == file.complaints.first?.sentence)
    #expect(file.complaints.map(\.setting) == ["BlurtPasteChords"])
    try folder.write(#"{"BlurtPasteChords": null}"#, to: "settings.json")
    #expect(file.complaints == [] && file.complaint == nil)
  }

  private func settings(_ file: SettingsFile) -> Settings { Settings(backing: file) }

  // MARK: In doubt audio stays here

  @Test(
    "P-10 while a file is there and cannot be used, audio stays on this computer",
    arguments: [
      #"{"BlurtStayLocal":true,"BlurtEngineKind":"assemblyai",}"#, "{", "[]", "nonsense", #"{"BlurtStayLocal":false"#,
    ])
  func closed(text: String) throws {
    #expect(!settings(file).staysLocal && !file.isUnreadable)
    try folder.write(text, to: "settings.json")
    #expect(settings(file).staysLocal && file.isUnreadable)
    unlink(path)
    #expect(!settings(file).staysLocal && !file.isUnreadable)
  }

  @Test("P-10 while a file is broken, what was read before goes on counting; after a start, the defaults do")
  func lastGood() throws {
    try folder.write(
      #"{"BlurtEngineKind": "offline", "BlurtKeepAudio": false, "BlurtStayLocal": false}"#, to: "settings.json")
    #expect(!settings(file).staysLocal)
    try folder.write(#"{"BlurtEngineKind": "assemblyai", "BlurtKeepAudio": true,}"#, to: "settings.json")
    #expect(settings(file).engine == .offline && !settings(file).keepsAudio && settings(file).staysLocal)
    // No setting has changed; that the file is broken has.
    #expect(changes.value == [[]])
    let fresh = SettingsFile(path: path)
    #expect(settings(fresh).engine == nil && settings(fresh).keepsAudio && settings(fresh).staysLocal)
    // Mended.
    try folder.write(#"{"BlurtEngineKind": "assemblyai"}"#, to: "settings.json")
    #expect(settings(file).engine == .assemblyai && settings(file).keepsAudio && !settings(file).staysLocal)
  }

  @Test("P-10 a write in the place of a broken file changes what it was asked to and nothing else")
  func writeOverBroken() throws {
    try folder.write(#"{"BlurtEngineKind": "offline", "BlurtStayLocal": true, "x": 1}"#, to: "settings.json")
    #expect(settings(file).staysLocal)
    try folder.write("{,", to: "settings.json")
    #expect(try set("BlurtKeepAudio", false) == path + ".broken")
    #expect(
      text == """
        {
          "BlurtEngineKind": "offline",
          "BlurtKeepAudio": false,
          "BlurtStayLocal": true,
          "x": 1
        }

        """)
    // What is taken out is gone, although nothing else is put in.
    try folder.write("{,", to: "settings.json")
    _ = file.current()
    #expect(try set("BlurtEngineKind", nil) == path + ".broken-2")
    #expect(settings(file).engine == nil && settings(file).staysLocal)
    // The user's word lifts it.
    try folder.write("{,", to: "settings.json")
    let fresh = SettingsFile(path: path)
    #expect(settings(fresh).staysLocal)
    try fresh.store(.bool(false), forKey: "BlurtStayLocal")
    #expect(!settings(fresh).staysLocal)
    #expect(text == "{\n  \"BlurtStayLocal\": false\n}\n")
  }

  @Test(
    "P-07 a stored StayLocal that is neither true nor false counts as true",
    arguments: [
      #""yes""#, "1", "[null]", "1e400", #"{"a":1,"a":2}"#, "true, \"BlurtStayLocal\": false",
      "false, \"BlurtStayLocal\": false",
    ])
  func doubtfulStayLocal(value: String) throws {
    try folder.write(#"{"BlurtStayLocal": \#(value), "BlurtKeepAudio": false}"#, to: "settings.json")
    #expect(settings(file).staysLocal && !settings(file).keepsAudio && !file.isUnreadable)
    #expect(file.complaints.map(\.setting) == ["BlurtStayLocal"])
    #expect(file.complaints.first?.problem.contains("it is on, to be safe") == true)
  }

  @Test("P-07 a member that nobody knows and nobody can hold takes nothing from the others")
  func strangeMembers() throws {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    try folder.write(
      #"{"X": 1e400, "Y": \#(deep), "Z": 1, "Z": 2, "BlurtStayLocal": false, "BlurtKeepAudio": false}"#,
      to: "settings.json")
    #expect(!file.isUnreadable && !settings(file).staysLocal && !settings(file).keepsAudio)
    try file.store(.bool(true), forKey: "BlurtKeepAudio")
    for kept in [#""X": 1e400"#, #""Y": \#(deep)"#, #""Z": 1"#, #""Z": 2"#] { #expect(text?.contains(kept) == true) }
  }

  @Test("S-50 P-10 a press that is refused because audio stays here names the broken file and the remedy")
  func refusalNamesFile() async throws {
    let choice = EngineChoice(chosen: .assemblyai, key: .present, offlineIsInstalled: false, staysLocal: true)
    guard case .failure(let refusal) = choice.decide() else { return #expect(Bool(false)) }
    let plain = Engines.explained(refusal, settingsProblem: file.problem)
    #expect(EventTranslation.sentence(refusal: plain) == EventTranslation.sentence(refusal: refusal))
    #expect(Engines.explained(.apiKeyMissing, settingsProblem: "x") == .apiKeyMissing)
    try folder.write("{", to: "settings.json")
    let sentence = EventTranslation.sentence(refusal: Engines.explained(refusal, settingsProblem: file.problem))
    #expect(sentence.contains(path) && sentence.hasSuffix("Mend it or move it away."))
    let check = await DoctorProbe.engine(
      choice: { choice }, fallback: { nil },
      explained: { [file] in Engines.explained($0, settingsProblem: file.problem) }
    ).look(false)
    #expect(check.state == .failed && check.message == sentence && check.remedy?.contains("settings file") == true)
  }

  @Test("P-10 what somebody seems to be saving is not final")
  func final() throws {
    let file = SettingsFile(writer: SettingsFileWriter(path: path), writingTime: .seconds(3_600))
    try folder.write(#"{"BlurtStayLocal": false}"#, to: "settings.json")
    #expect(file.isFinal)
    try file.startWatching()
    let editor = try FileDescriptor.open(path, O_WRONLY | O_TRUNC)
    #expect(!file.isFinal)
    try editor.close()
    file.stopWatching()
  }

  @Test("doctor warns of a value that is not used, and names the command that takes it back")
  func doctor() async throws {
    let probe = DoctorProbe.settings(
      path: path, isThere: { [file] in file.isThere }, complaints: { [file] in file.complaints },
      problem: { [file] in file.problem })
    let none = await probe.look(false)
    #expect(none.state == .ok && none.message == "There is no settings file; the defaults count.")
    try folder.write("{}", to: "settings.json")
    #expect(await probe.look(false).message == "Read from \(path).")
    try folder.write(#"{"BlurtTriggerActivation": "Wink"}"#, to: "settings.json")
    let warning = await probe.look(false)
    #expect(warning.state == .warning)
    #expect(warning.remedy == "blurtctl settings reset BlurtTriggerActivation")
    try folder.write(#"{"BlurtKeytrms": 1, "BlurtKeepAudio": 2, "BlurtStayLocal": 3}"#, to: "settings.json")
    let several = await probe.look(false)
    #expect(several.state == .warning)
    #expect(several.message.hasPrefix("BlurtStayLocal: "))
    for part in ["BlurtKeepAudio: ", "BlurtKeytrms: ", "did you mean BlurtKeyTerms?"] {
      #expect(several.message.contains(part))
    }
    try folder.write(#"{"BlurtKeytrms": 1}"#, to: "settings.json")
    #expect(await probe.look(false).remedy == "edit \(path)")
    let many = (0..<2_000).map { "\"BlurtNothing\($0)\": 1" }.joined(separator: ",")
    try folder.write("{\(many)}", to: "settings.json")
    let bounded = await probe.look(false)
    #expect(bounded.message.utf8.count < 8_000 && bounded.message.hasSuffix("And 1960 more."))
    try folder.write("{", to: "settings.json")
    #expect(await probe.look(false).state == .failed)
  }

  // MARK: Changes

  @Test("P-04 two edits in one tick of the clock, of the same size and in the same file, are both seen")
  func racyEdits() throws {
    let settings = Settings(backing: file)
    for number in 0..<300 {
      try overwrite(#"{"BlurtKeyTerms": "\#(100 + number)"}"#)
      #expect(settings.keyTerms == ["\(100 + number)"])
    }
  }

  @Test("P-04 a look that began before a write does not bring the old values back")
  func lateLook() throws {
    try folder.write(#"{"BlurtKeyTerms": "old"}"#, to: "settings.json")
    _ = file.current()
    let number = file.beginLook()
    let (look, content) = SettingsFileContent.read(path)
    try file.store(.string("new"), forKey: "BlurtKeyTerms")
    _ = file.install(look, content, number: number, isQuiet: true)
    #expect(changes.value == [["BlurtKeyTerms"]])
    #expect(Settings(backing: file).keyTerms == ["new"])
    #expect(changes.value.count == 1)
  }

  @Test("a change is told once with the names that changed, whoever made it")
  func told() throws {
    _ = file.current()
    try file.store(.string("a"), forKey: "BlurtKeyTerms")
    #expect(changes.value == [["BlurtKeyTerms"]])
    file.look(isQuiet: true)
    #expect(changes.value.count == 1)
    try folder.write(#"{"BlurtKeyTerms": "b", "BlurtKeepAudio": false, "x": 1}"#, to: "settings.json")
    _ = file.current()
    #expect(changes.value.last == ["BlurtKeepAudio", "BlurtKeyTerms"])
    try folder.write(#"{"BlurtKeyTerms": "b", "BlurtKeepAudio": false, "x": 2}"#, to: "settings.json")
    _ = file.current()
    #expect(changes.value.count == 2)
    unlink(path)
    _ = file.current()
    #expect(changes.value.count == 3)
    // Broken, and mended: no setting changes, but what is wrong does.
    try folder.write("{", to: "settings.json")
    _ = file.current()
    #expect(changes.value.last == [])
    unlink(path)
    _ = file.current()
    #expect(changes.value.count == 5)
  }

  @Test("what was there at start is no change")
  func start() throws {
    try folder.write(#"{"BlurtKeyTerms": "b"}"#, to: "settings.json")
    #expect(Settings(backing: file).keyTerms == ["b"])
    #expect(changes.value == [])
  }

  @Test("P-09 the watch sees an outside edit without being asked, and ends when it is told to")
  func watched() async throws {
    try file.startWatching()
    #expect(await eventually { file.problem == nil })
    try folder.write(#"{"BlurtKeyTerms": "b"}"#, to: "settings.json")
    #expect(await eventually { changes.value == [["BlurtKeyTerms"]] })
    try overwrite(#"{"BlurtKeyTerms": "b", "BlurtKeepAudio": false}"#)
    #expect(await eventually { changes.value.last == ["BlurtKeepAudio"] })
    try file.store(.bool(true), forKey: "BlurtStayLocal")
    #expect(await eventually { changes.value.last == ["BlurtStayLocal"] })
    unlink(path)
    #expect(await eventually { changes.value.last == ["BlurtKeepAudio", "BlurtKeyTerms", "BlurtStayLocal"] })
    file.stopWatching()
    file.stopWatching()
  }

  @Test("P-10 while an editor is in the middle of writing, what counted before counts, and nobody is warned")
  func halfWritten() async throws {
    // However slow the machine is that runs this.
    let file = SettingsFile(writer: SettingsFileWriter(path: path), writingTime: .seconds(3_600))
    file.onChange { [changes] in changes.append($0) }
    try folder.write(#"{"BlurtStayLocal": true}"#, to: "settings.json")
    let settings = Settings(backing: file)
    #expect(settings.staysLocal)
    try file.startWatching()
    defer { file.stopWatching() }
    let editor = try FileDescriptor.open(path, O_WRONLY | O_TRUNC)
    #expect(settings.staysLocal)
    try Array(#"{"BlurtStayLocal"#.utf8).withUnsafeBytes { bytes in try editor.writeAll(bytes) }
    #expect(settings.staysLocal)
    #expect(file.problem == nil)
    try Array(#"": true, "BlurtKeepAudio": false}"#.utf8).withUnsafeBytes { bytes in try editor.writeAll(bytes) }
    try editor.close()
    #expect(await eventually { changes.value == [["BlurtKeepAudio"]] })
    #expect(settings.staysLocal)
    // Gone for a moment, as when an editor keeps a copy of the old file.
    rename(path, path + "~")
    #expect(settings.staysLocal)
    rename(path + "~", path)
    // Closed and still broken: that is meant.
    try overwrite("{")
    #expect(await eventually { changes.value.count == 2 })
    #expect(settings.staysLocal)
    #expect(!settings.keepsAudio)
    #expect(file.problem != nil)
  }

  // MARK: One look

  @Test("S-50 P-10 all that decides a press is answered by one state of the file; the next press sees a change")
  func oneLook() throws {
    try overwrite(#"{"BlurtListeningMinutes": 1, "BlurtOfflineIdleMinutes": 1}"#)
    let settings = Settings(backing: file)
    try file.withOneLook {
      #expect(settings.listeningMinutes == 1)
      try overwrite(#"{"BlurtListeningMinutes": 2, "BlurtOfflineIdleMinutes": 2}"#)
      #expect(settings.offlineIdleMinutes == 1)
    }
    #expect(settings.offlineIdleMinutes == 2 && settings.listeningMinutes == 2)
    file.withOneLook { #expect(settings.listeningMinutes == 2) }
  }

  @Test("P-10 one look does not hide what this process writes meanwhile, and holds for its file and its thread alone")
  func oneLookOfItsOwn() throws {
    let other = SettingsFile(path: folder.path + "/other.json")
    let (settings, others) = (Settings(backing: file), Settings(backing: other))
    try file.withOneLook {
      try file.store(.number(3), forKey: "BlurtOfflineIdleMinutes")
      #expect(settings.offlineIdleMinutes == 3)
      #expect(others.offlineIdleMinutes == 10)
      try folder.write(#"{"BlurtOfflineIdleMinutes": 4}"#, to: "other.json")
      other.withOneLook { #expect(others.offlineIdleMinutes == 4) }
    }
    try file.withOneLook {
      try overwrite(#"{"BlurtOfflineIdleMinutes": 5}"#)
      #expect(settings.offlineIdleMinutes == 3)
      let seen = Box(0.0)
      let thread = try WorkerThread(name: "test-look") { seen.value = settings.offlineIdleMinutes }
      thread.join()
      #expect(seen.value == 5)
    }
  }

  @Test("S-50 the generation is another one after each change, and stays while nothing changes")
  func generation() async throws {
    let steps: [() throws -> Void] = [
      { try overwrite(#"{"BlurtOfflineIdleMinutes": 5}"#) },
      { _ = try set("BlurtOfflineIdleMinutes", .integer(6)) },
      { try overwrite("{") },
      { chmod(path, 0) },
      { unlink(path) },
    ]
    var last = file.generation
    for (number, step) in steps.enumerated() {
      try step()
      #expect(file.generation != last, "step \(number)")
      // A change of this moment may be followed by one that cannot be told from it; then it is looked into each time.
      #expect(await eventually { file.generation == file.generation }, "step \(number)")
      last = file.generation
      #expect(file.generation == last, "step \(number)")
    }
  }
}
