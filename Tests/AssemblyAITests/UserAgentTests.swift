import AssemblyAI
import Testing

@Suite struct UserAgentTests {
  @Test(
    "T-21 product, version and details",
    arguments: [
      ("Blurt", "0.1.54", ["Linux 6.8", "dev"], "Blurt/0.1.54 (Linux 6.8; dev)"),
      ("Blurt for Linux", "1.0", [], "Blurt-for-Linux/1.0"),
      ("Blurt", "1.0", ["", "  "], "Blurt/1.0"),
      ("Blurt", "1.0", [" a ", "", "b"], "Blurt/1.0 (a; b)"),
      ("Blurt", nil, ["Linux"], "Blurt (Linux)"),
      ("Blurt", " ", [], "Blurt"),
    ] as [(String, String?, [String], String)])
  func format(product: String, version: String?, details: [String], expected: String) {
    #expect(UserAgent.make(product: product, version: version, details: details) == expected)
  }
}
