import BlurtEngine
import BlurtOS
import BlurtTestSupport
import Testing

@testable import BlurtContext

/// The real reader and the real libsystemd against an accessibility bus of the test's own.
@Suite(
  "FieldContextReader", .serialized,
  .enabled(if: AccessibleProgram.isAvailable, Comment(rawValue: AccessibleProgram.absence)), .timeLimit(.minutes(2)))
struct FieldContextReaderTests {
  private let program: AccessibleProgram
  private let reader: FieldContextReader

  init() throws {
    let program = try AccessibleProgram()
    self.program = program
    reader = FieldContextReader(place: .session(program.address), limits: Self.limits())
  }

  /// Patient with a machine under load; a call that is never answered is waited for as long as that test says.
  private static func limits(call: Duration = .seconds(30)) -> ContextLimits {
    var limits = ContextLimits()
    limits.call = call
    limits.reading = .seconds(60)
    return limits
  }

  private var window: CapturedFocus { CapturedFocus(processID: program.processID, name: "Letter", windowID: 1) }

  private func read(_ target: CapturedFocus? = nil, title: String? = "Letter", details: Bool = false) async
    -> FieldReading
  {
    await reader.read(target ?? window, title: title, wantsDetails: details)
  }

  private func field(details: Bool = false) async throws -> FocusedFieldContext {
    guard case .field(let field) = await read(details: details) else {
      throw TestServerFailure(description: "no field was read")
    }
    return field
  }

  @Test(
    "C-82 C-93 Y-63 the text before the caret of the focused field is read, and nothing after it",
    arguments: [true, false])
  func prior(_ search: Bool) async throws {
    try program.focus(#""role":61,"text":"Hello world. After","caret":13"#, search: search)
    let field = try await field()
    #expect(field.priorText == "Hello world. ")
    #expect(field.isEditable == true)
    #expect(!field.isSecure)
  }

  @Test("C-89 Y-65 offsets count scalars, or UTF-16 units where the toolkit does: the slice is right either way")
  func offsets() async throws {
    for (text, after) in [("Hi 😀 e\u{301}", "x"), ("👩‍👩‍👧‍👦\r\n", "y"), ("日本語 🇫🇷", " z")] {
      let scalars = text.unicodeScalars.count
      let units = text.utf16.count
      let json = (text + after).replacing("\r\n", with: "\\r\\n")
      try program.focus(#""role":79,"text":"\#(json)","caret":\#(scalars)"#)
      #expect(try await field().priorText?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
      try program.focus(#""role":79,"units":"utf16","text":"\#(json)","caret":\#(units)"#)
      #expect(try await field().priorText?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }
  }

  @Test("C-89 a slice that begins in the middle of a surrogate pair has no half a character")
  func surrogates() async throws {
    let text = String(repeating: "😀", count: 1_000)
    // An odd offset: 640 whole pairs and a half.
    try program.focus(#""role":61,"units":"utf16","text":"a\#(text)","caret":2000"#)
    let prior = try #require(try await field().priorText)
    #expect(prior.allSatisfy { $0 == "😀" || $0 == "\u{FFFD}" })
    #expect(prior.first == "😀")
    #expect(prior.count == 320)
  }

  @Test("C-89 C-91 a caret beyond the end gives the tail, one at the start an empty text")
  func caret() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":500"#)
    #expect(try await field().priorText == "Hello")
    try program.focus(#""role":61,"text":"Hello","caret":0"#)
    #expect(try await field().priorText == "")
    try program.focus(#""role":61,"text":"","caret":0"#)
    #expect(try await field().priorText == "")
    try program.focus(#""role":61,"text":"Hello","caret":-1"#)
    #expect(try await field().priorText == nil)
  }

  @Test("C-90 C-91 a field with nothing but what nobody can see is an empty one")
  func invisible() async throws {
    try program.focus(##""role":61,"text":"\u200b\ufeff","caret":2"##)
    #expect(try await field().priorText == "")
    try program.focus(##""role":61,"text":" \n","caret":2"##)
    #expect(try await field().priorText == " \n")
  }

  @Test("C-88 Y-66 of a password nothing is asked but its role", arguments: [true, false])
  func password(_ search: Bool) async throws {
    try program.focus(#""role":40,"text":"hunter2","caret":7,"name":"Password""#, search: search)
    _ = try program.calls()
    let field = try await field(details: true)
    #expect(field == FocusedFieldContext(isSecure: true, isEditable: true))
    let asked = try program.calls()
    let forbidden = [
      "GetText", "CaretOffset", "CharacterCount", "GetNSelections", "GetSelection", "GetAttributes", "Description",
    ]
    #expect(asked.contains("GetRole"))
    #expect(asked.filter(forbidden.contains) == [])
  }

  @Test("C-88 a role that cannot be read is that of a secure field: refused, invalid, or never told")
  func unreadableRole() async throws {
    try program.focus(#""role":0,"text":"Hello","caret":5"#)
    #expect(try await field() == FocusedFieldContext(isSecure: true))
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    try program.refuse("GetRole")
    #expect(try await field() == FocusedFieldContext(isSecure: true))
    try program.refuse(nil)
    try program.mute("GetRole")
    let hasty = FieldContextReader(place: .session(program.address), limits: Self.limits(call: .seconds(4)))
    let reading = await hasty.read(window, title: nil, wantsDetails: false)
    #expect(reading == .unknown("GetRole"))
    #expect(reading.context(windowTitle: "W") == FocusedFieldContext(windowTitle: "W", isSecure: true))
  }

  @Test("C-94 a terminal's screen is not what the user has written")
  func terminal() async throws {
    try program.focus(#""role":60,"text":"$ cat secret","caret":12"#)
    #expect(try await field().priorText == nil)
  }

  @Test("C-61 C-69 editable is what says so or can be written to; a text that is only looked at is not read")
  func editable() async throws {
    let shown = ["focused", "showing"]
    let interface = #","interfaces":["org.a11y.atspi.EditableText"]"#
    let text = #""role":61,"text":"Hello","caret":5"#
    try program.focus(text, states: shown)
    #expect(try await field() == FocusedFieldContext(isEditable: false))
    try program.focus(text + interface, states: shown)
    #expect(try await field() == FocusedFieldContext(isEditable: true))
    // Said outright, and GTK 3, whose text views always have the interface.
    try program.focus(text + interface, states: shown + ["readOnly"])
    #expect(try await field() == FocusedFieldContext(isEditable: false))
    try program.focus(text + interface + #","toolkit":"gtk""#, states: shown)
    #expect(try await field() == FocusedFieldContext(isEditable: false))
    try program.focus(#""role":43"#, states: shown)
    #expect(try await field() == FocusedFieldContext(isEditable: false))
  }

  @Test(
    "C-61 C-69 what may take a text without saying so is not known to refuse it",
    arguments: [
      ("terminal", 60), ("drawing area", 16), ("canvas", 6), ("table cell", 56), ("web document", 95), ("panel", 39),
      ("combo box", 11), ("list item", 32), ("unknown object", 67),
    ])
  func doubtful(_ name: String, _ role: Int) async throws {
    for states in [["focused", "showing"], ["focused", "showing", "readOnly"]] {
      try program.focus(#""role":\#(role),"text":"Hello","caret":5"#, states: states)
      #expect(try await field().isEditable == nil, "\(name)")
    }
  }

  @Test("C-81 C-83 label and selection are read where a log wants them, and not otherwise")
  func details() async throws {
    let object = #""role":61,"text":"Dear Anna","caret":9,"selection":[5,9],"name":"Body","placeholder":"Write""#
    try program.focus(object)
    let all = try await field(details: true)
    #expect(all.selectedText == "Anna")
    #expect(all.fieldLabel == "Write")
    #expect(all.priorText == "Dear ")
    _ = try program.calls()
    let bare = try await field()
    #expect(bare.selectedText == nil && bare.fieldLabel == nil && bare.priorText == "Dear ")
    #expect(
      try program.calls().filter { ["GetAttributes", "Description", "Name", "GetLocalizedRoleName"].contains($0) } == []
    )
    for (members, label) in [
      (#""description":"D","name":"N""#, "D"), (#""name":"N""#, "N"), (#""label":"entry""#, "entry"),
    ] {
      try program.focus(#""role":79,"text":"a","caret":1,"# + members)
      #expect(try await field(details: true).fieldLabel == label)
    }
  }

  @Test("C-95 nothing focused, another program's window, or no program at all: no field, and nothing is secure")
  func nothing() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":5"#, states: ["editable", "showing"])
    #expect(await read() == .nothing)
    try program.show(#"{"name":"Letter","states":[],"search":true}"#)
    #expect(await read() == .nothing)
    // A process that is not on the bus, with a title that nobody has.
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    let stranger = CapturedFocus(processID: 1, name: "x", windowID: 2)
    #expect(await read(stranger, title: "Terminal") == .nothing)
    #expect(await read(stranger, title: nil) == .nothing)
    #expect(FieldReading.nothing.context(windowTitle: "W")?.isSecure == false)
  }

  @Test("a window without a known process is found by its title, if only one is in front with it")
  func byTitle() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    let sandboxed = CapturedFocus(processID: 0, name: "x", windowID: 2)
    guard case .field(let field) = await read(sandboxed) else {
      Issue.record("no field")
      return
    }
    #expect(field.priorText == "Hello")
    let window =
      #"{"name":"Letter","states":["active"],"children":[{"role":61,"states":["focused","editable"],"text":"a"}]}"#
    try program.show(window, window)
    #expect(await read(sandboxed) == .nothing)
  }

  @Test("C-92 a program that never answers costs one call, and what it has is secure")
  func hangs() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    try program.mute("")
    let hasty = FieldContextReader(place: .session(program.address), limits: Self.limits(call: .seconds(4)))
    _ = try program.calls()
    #expect(await hasty.read(window, title: "Letter", wantsDetails: true) == .unknown("GetChildren"))
    // The registry's list, and one question to the program.
    #expect(try program.calls().filter { $0 == "GetChildren" }.count == 2)
  }

  @Test("C-92 a program that hangs in the middle loses what it has not told")
  func hangsLater() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    try program.mute("GetText")
    let hasty = FieldContextReader(place: .session(program.address), limits: Self.limits(call: .seconds(4)))
    let reading = await hasty.read(window, title: "Letter", wantsDetails: false)
    #expect(reading == .field(FocusedFieldContext(isEditable: true)))
  }

  @Test("a window too large to be looked at is secure, since a password may be in it")
  func tooLarge() async throws {
    let row = #"{"states":["showing"]}"#
    let rows = Array(repeating: row, count: 300).joined(separator: ",")
    try program.show(#"{"name":"Letter","states":["active"],"children":[\#(rows)]}"#)
    #expect(await read() == .unknown("the whole window"))
    let deep = (0..<40).reduce(row) { inner, _ in #"{"states":["showing"],"children":[\#(inner)]}"# }
    try program.show(#"{"name":"Letter","states":["active"],"children":[\#(deep)]}"#)
    #expect(await read() == .nothing)
  }

  @Test("C-95 without a registry, a bus or a library there is no service, and nothing is started to give one")
  func noService() async throws {
    try program.registry(runs: false)
    #expect(await read() == .noService)
    try program.registry(runs: true)
    for place in [
      FieldContextReader.Place.session("unix:path=/nonexistent"), .address("unix:path=/nonexistent"),
      .address("nonsense"),
    ] {
      let reader = FieldContextReader(place: place, limits: Self.limits())
      #expect(await reader.read(window, title: "Letter", wantsDetails: true) == .noService)
      guard case .noBus = await reader.availability() else {
        Issue.record("\(place) is available")
        continue
      }
    }
    let reader = FieldContextReader(place: .session(program.address), library: "libblurt-that-is-not-there.so.0")
    #expect(await reader.read(window, title: "Letter", wantsDetails: true) == .noService)
    guard case .noLibrary = await reader.availability() else {
      Issue.record("a library that is not there is available")
      return
    }
  }

  @Test("Y-75 how many programs can be read is told")
  func availability() async {
    #expect(await reader.availability() == .ready(programCount: 1, isEnabled: true))
  }

  @Test("readings beyond the bound are not begun; a bus that goes ends those that are under way")
  func bounded() async throws {
    try program.focus(#""role":61,"text":"Hello","caret":5"#)
    try program.mute("")
    var limits = Self.limits()
    limits.readingsAtOnce = 2
    let reader = FieldContextReader(place: .session(program.address), limits: limits)
    let window = window
    _ = try program.calls()
    let first = (0..<2).map { _ in Task { await reader.read(window, title: nil, wantsDetails: false) } }
    let asked = Box(0)
    // The registry's list and the program's, for each of them.
    #expect(
      await eventually {
        asked.update { $0 += ((try? program.calls()) ?? []).count(where: { $0 == "GetChildren" }) }
        return asked.value == 4
      })
    #expect(
      await reader.read(window, title: nil, wantsDetails: false) == .unknown("readings of other presses are under way"))
    program.stop()
    for task in first {
      guard case .unknown(let reason) = await task.value else {
        Issue.record("something was read")
        continue
      }
      #expect(!reason.contains("under way"))
    }
  }
}
