import BlurtContract
import Testing

@testable import BlurtDaemon

@Suite("SettingsDocument") struct SettingsDocumentTests {
  private func document(_ text: String) throws -> SettingsDocument { try SettingsDocument(Array(text.utf8)) }

  private func text(_ document: SettingsDocument) -> String { String(decoding: document.bytes, as: UTF8.self) }

  @Test("P-08 the file is one object for people: sorted keys, a line for each, two spaces")
  func layout() {
    var document = SettingsDocument()
    document["b"] = .array([.string("x"), .object(["y": 1, "z": .array([])])])
    document["a"] = true
    #expect(
      text(document) == """
        {
          "a": true,
          "b": [
            "x",
            {
              "y": 1,
              "z": []
            }
          ]
        }

        """)
    document["b"] = nil
    document["a"] = nil
    #expect(text(document) == "{}\n")
  }

  @Test("P-08 P-28 P-07 what is not changed keeps its own text: unknown keys, nested ones, null and large numbers")
  func kept() throws {
    var document = try document(
      #"{"z":{"deep" : [1.50,null,{"x":1e2}]}, "n":null,"big":123456789012345678901234567890,"i":9007199254740993,"a":1}"#
    )
    document["a"] = 2
    document["new"] = "é\n"
    #expect(
      text(document) == #"""
        {
          "a": 2,
          "big": 123456789012345678901234567890,
          "i": 9007199254740993,
          "n": null,
          "new": "é\n",
          "z": {"deep" : [1.50,null,{"x":1e2}]}
        }

        """#)
    // What is written reads as what it was.
    #expect(try self.document(text(document)) == document)
  }

  @Test("P-07 P-08 a member that cannot be held, or stands there twice, keeps its text")
  func odd() throws {
    var document = try document(#"{"X":1e400,"Y":1,"d":[[1e999]],"Y" : 2,"a":true}"#)
    #expect(document.keys == ["X", "Y", "a", "d"])
    #expect(document["a"] == true && document["Y"] == 2)
    #expect(document.isRepeated("Y") && !document.isRepeated("X") && !document.isRepeated("z"))
    // What it stands for is no value of any setting, and is there all the same.
    #expect(document["X"] != nil && document["d"] != nil)
    let same = document
    #expect(document == same)
    document["a"] = false
    #expect(document != same)
    #expect(
      text(document) == """
        {
          "X": 1e400,
          "Y": 1,
          "Y": 2,
          "a": false,
          "d": [[1e999]]
        }

        """)
    document["Y"] = 3
    #expect(!document.isRepeated("Y"))
  }

  @Test("an empty file and a byte-order mark are no faults")
  func empty() throws {
    #expect(try document("") == SettingsDocument())
    #expect(try document(" \n\t\r\n") == SettingsDocument())
    #expect(try document("\u{FEFF}{\"a\": 1}")["a"] == 1)
  }

  @Test(
    "P-10 what is no object in JSON is a fault that says so",
    arguments: [
      "[]", "1", "null", "{", "{\"a\":1,}", "{\"a\":1}x", "{'a':1}", "\u{0}", "{\"a\":1e}",
      "// x\n{}", String(repeating: "[", count: 100_000),
    ])
  func faults(text: String) {
    #expect(throws: SettingsDocument.Fault.self) { try document(text) }
  }
}
