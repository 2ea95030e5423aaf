internal import BlurtContract

/// `version`: of this program. That of the daemon stands in `status`.
struct VersionVerb {
  let output: Output

  func run() -> ExitStatus {
    let version = ProductVersion.current
    let members: JSONObject = [
      "version": .string(version), "protocol": .integer(Int64(SessionContract.protocolNumber)),
    ]
    output.text(
      "blurtctl \(version), protocol \(SessionContract.protocolNumber)", line: MessageCoder.encode(.object(members)))
    return .done
  }
}
