import BlurtDaemon
import BlurtOS
import Testing

@Suite("DaemonOptions") struct DaemonOptionsTests {
  private func run(_ change: (inout DaemonOptions) -> Void) -> DaemonOptions.Request {
    var options = DaemonOptions()
    change(&options)
    return .run(options)
  }

  @Test("options are read in both forms, and the environment gives the log level where no option does")
  func options() {
    #expect(DaemonOptions.parse([], environment: [:]) == run { _ in })
    #expect(DaemonOptions.parse(["--socket", "/s"], environment: [:]) == run { $0.socket = "/s" })
    #expect(DaemonOptions.parse(["--socket=/a=b"], environment: [:]) == run { $0.socket = "/a=b" })
    #expect(DaemonOptions.parse([], environment: ["BLURT_LOG": "debug"]) == run { $0.logLevel = .debug })
    #expect(
      DaemonOptions.parse(["--log-level", "error"], environment: ["BLURT_LOG": "debug"]) == run { $0.logLevel = .error }
    )
    #expect(DaemonOptions.parse([], environment: ["BLURT_LOG": ""]) == run { _ in })
  }

  @Test("help and version win over nothing else, and wrong usage names what is wrong")
  func others() {
    #expect(DaemonOptions.parse(["--help"], environment: [:]) == .help)
    #expect(DaemonOptions.parse(["--version"], environment: [:]) == .version)
    for arguments in [["--socket"], ["--socket="], ["--log-level", "loud"], ["--unknown"], ["word"]] {
      guard case .usage(let problem) = DaemonOptions.parse(arguments, environment: [:]) else {
        Issue.record("\(arguments) was accepted")
        continue
      }
      #expect(problem.contains(arguments[0].split(separator: "=")[0]))
    }
    #expect(DaemonOptions.parse([], environment: ["BLURT_LOG": "loud"]) == .usage("BLURT_LOG names no level: loud"))
  }
}
