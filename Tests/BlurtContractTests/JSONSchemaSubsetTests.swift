import BlurtContract
import BlurtTestSupport
import Testing

@Suite struct JSONSchemaSubsetTests {
  private func json(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

  private func faults(_ value: String, _ schema: String, _ mode: JSONSchemaSubset.Mode = .open) throws -> [String] {
    try JSONSchemaSubset(json(schema)).faults(in: json(value), mode)
  }

  /// A schema, values that it takes, values that it refuses.
  static let keywords: [(String, [String], [String])] = [
    ("{}", ["1", "null", "{}"], []),
    (#"{"type":"integer"}"#, ["1", "-3"], ["1.5", "1.0", "\"1\"", "null", "true"]),
    (#"{"type":"number"}"#, ["1", "1.5"], ["\"1\"", "[]"]),
    (#"{"type":["string","null"]}"#, ["\"a\"", "null"], ["1", "{}"]),
    (#"{"type":"boolean"}"#, ["true", "false"], ["0", "\"true\""]),
    (#"{"type":"array","items":{"type":"string"}}"#, ["[]", #"["a"]"#], ["{}", #"["a",1]"#]),
    (#"{"enum":["a",2,null]}"#, ["\"a\"", "2", "null"], ["\"b\"", "3", "[]"]),
    (#"{"const":{"a":1}}"#, [#"{"a":1}"#], [#"{"a":2}"#, "1"]),
    (#"{"required":["a"]}"#, [#"{"a":null}"#, "1"], ["{}", #"{"b":1}"#]),
    (#"{"properties":{"a":{"type":"string"}}}"#, ["{}", #"{"a":"x","b":1}"#, "7"], [#"{"a":1}"#]),
    (#"{"minimum":0,"maximum":1}"#, ["0", "1", "0.5", "\"x\""], ["-1", "1.001"]),
    (#"{"minLength":1,"maxLength":2}"#, ["\"a\"", "\"😀é\"", "5"], ["\"\"", "\"abc\""]),
    (#"{"pattern":"^/"}"#, ["\"/a\"", "1"], ["\"a/\"", "\"\""]),
    (#"{"not":{"required":["a","b"]}}"#, ["{}", #"{"a":1}"#], [#"{"a":1,"b":2}"#]),
    (#"{"oneOf":[{"type":"integer"},{"minimum":5}]}"#, ["1", "5.5"], ["6", "1.5"]),
    (
      ##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"},"l":{"items":{"$ref":"#/$defs/n"}}}}"##, ["1"], ["\"1\""]
    ),
  ]

  @Test("each keyword takes what it allows and refuses what it forbids", arguments: keywords)
  func keyword(_ schema: String, _ good: [String], _ bad: [String]) throws {
    for value in good { #expect(try faults(value, schema) == [], "\(value) by \(schema)") }
    for value in bad { #expect(try faults(value, schema) != [], "\(value) by \(schema)") }
  }

  @Test(
    "a schema with a keyword, a type, a reference or a default that cannot be checked is refused",
    arguments: [
      #"{"additionalProperties":false}"#, #"{"properties":{"a":{"format":"date"}}}"#, #"{"items":{"if":{}}}"#,
      #"{"oneOf":[{"multipleOf":2}]}"#, #"{"$defs":{"a":{"contains":{}}}}"#, #"{"not":{"anyOf":[]}}"#,
      #"{"type":"text"}"#, #"{"type":1}"#, #"{"type":[]}"#, #"{"enum":[]}"#, #"{"enum":[1,1]}"#, #"{"enum":"a"}"#,
      #"{"required":"a"}"#, #"{"required":[1]}"#, #"{"properties":[]}"#, #"{"properties":{"a":true}}"#,
      #"{"oneOf":{}}"#, #"{"oneOf":[]}"#, #"{"minimum":"0"}"#, #"{"minLength":-1}"#, #"{"pattern":"a"}"#,
      #"{"pattern":"^[a-z]+$"}"#, ##"{"$ref":"#/$defs/missing"}"##, #"{"$ref":"other.json"}"#,
      #"{"type":"integer","default":"1"}"#, "[]", "true",
    ])
  func unsupported(_ schema: String) throws {
    #expect(throws: JSONSchemaSubset.Unsupported.self) { try JSONSchemaSubset(json(schema)) }
  }

  @Test("the strict mode finds members that no schema describes, at any depth, also through references and choices")
  func strict() throws {
    let schema = ##"""
      {"properties":{"id":{},"cmd":{}},
       "oneOf":[{"$ref":"#/$defs/a"},{"properties":{"cmd":{"const":"b"}}}],
       "$defs":{"a":{"properties":{"cmd":{"const":"a"},"part":{"properties":{"x":{}}},"free":{},
                "list":{"items":{"properties":{"x":{}}}}}}}}
      """##
    for line in [
      #"{"id":1,"cmd":"a","part":{"x":1},"free":{"anything":[{"at":"all"}]},"list":[{},{"x":1}]}"#, #"{"cmd":"b"}"#,
    ] {
      #expect(try faults(line, schema, .strict) == [])
    }
    for line in [
      #"{"cmd":"a","y":1}"#, #"{"cmd":"a","part":{"y":1}}"#, #"{"cmd":"a","list":[{},{"y":1}]}"#,
      #"{"cmd":"b","part":{}}"#,
    ] {
      #expect(try faults(line, schema) == [], "\(line) is allowed on the wire")
      #expect(try faults(line, schema, .strict) != [], "\(line)")
    }
  }

  @Test("a wildcard passes wherever it stands, and only itself")
  func wildcard() throws {
    let schema = try JSONSchemaSubset(json(#"{"properties":{"a":{"type":"integer"},"b":{"enum":[1]}}}"#))
    #expect(schema.faults(in: try json(#"{"a":"<any>","b":"<any>"}"#), .strict, wildcard: "<any>") == [])
    #expect(schema.faults(in: try json(#"{"a":"<one>"}"#), .strict, wildcard: "<any>") != [])
    #expect(schema.faults(in: try json(#"{"a":"<any>"}"#), .strict) != [])
  }
}
