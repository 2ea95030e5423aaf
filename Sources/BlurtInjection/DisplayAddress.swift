/// Where an X server is, and what opens it.
package struct DisplayAddress: Sendable, Hashable {
  /// As in DISPLAY.
  package let name: String
  /// The file with the server's cookie, as in XAUTHORITY; nil: where Xlib finds it by itself.
  package let authorityFile: String?

  package init(name: String, authorityFile: String? = nil) {
    self.name = name
    self.authorityFile = authorityFile
  }

  /// Out of an environment; nil where it names no display.
  package init?(environment: [String: String]) {
    guard let name = environment["DISPLAY"], !name.isEmpty else { return nil }
    let file = environment["XAUTHORITY"] ?? ""
    self.init(name: name, authorityFile: file.isEmpty ? nil : file)
  }

  /// The number of the display, as it stands in cookie files: `0` of `:0.1` and of `host:0`.
  var number: String? {
    guard let colon = name.lastIndex(of: ":") else { return nil }
    let number = name[name.index(after: colon)...].prefix { $0 != "." }
    return number.isEmpty || !number.allSatisfy(\.isNumber) ? nil : String(number)
  }
}
