import BlurtContract
import Testing

@Suite struct ProductIdentityTests {
  @Test("P-60 without a name every name is the ordinary one", arguments: [nil, ""] as [String?])
  func ordinary(name: String?) throws {
    let identity = try ProductIdentity(name: name)
    #expect(identity == .ordinary)
    #expect(identity.folderName == "blurt")
    #expect(identity.socketName == "blurt/blurtd.sock")
    #expect(identity.journalIdentifier == "blurtd")
  }

  @Test("P-59 P-60 a name is part of every name", arguments: ["dev", "a", "0-1", "-", "abcdefghijklmnop"])
  func named(name: String) throws {
    let identity = try ProductIdentity { $0 == "BLURT_IDENTITY" ? name : nil }
    #expect(identity != .ordinary)
    #expect(identity.folderName == "blurt-\(name)")
    #expect(identity.socketName == "blurt-\(name)/blurtd.sock")
    #expect(identity.journalIdentifier == "blurtd-\(name)")
  }

  @Test(
    "P-60 any other name is refused by that name, with what may be used, on one line",
    arguments: [
      "Dev", "a b", "../x", "a/b", ".", "é", "a\nb", "abcdefghijklmnopq", " dev", "dev ", "a_b", "a.b", "\u{1B}[2J",
      String(repeating: "x", count: 100_000),
    ])
  func refused(name: String) {
    let error = #expect(throws: ProductIdentity.InvalidName.self) { try ProductIdentity(name: name) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("BLURT_IDENTITY is \""))
    #expect(text.contains("a-z, 0-9 and -"))
    #expect(!text.contains("\n") && !text.contains("\u{1B}"))
    #expect(text.count < 250)
    if name == "Dev" { #expect(text.contains("\"Dev\"")) }
  }
}
