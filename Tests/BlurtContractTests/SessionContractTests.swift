import BlurtContract
import Testing

@Suite struct SessionContractTests {
  @Test("S-107 S-108 S-109 S-110 S-111 S-112 S-113 S-114 S-115 S-116 S-117 S-118 S-119 every number is the agreed one")
  func numbers() {
    #expect(SessionContract.readinessLease == .seconds(15))
    #expect(SessionContract.readinessHeartbeat == .seconds(5))
    #expect(SessionContract.pressHandshakeTimeout == .milliseconds(1200))
    #expect(SessionContract.deadOwnerRelease == .seconds(10))
    #expect(SessionContract.hopReturnCap == .milliseconds(1500))
    #expect(SessionContract.presenceHeartbeat == .seconds(4))
    #expect(SessionContract.presenceFreshness == .seconds(15))
    #expect(SessionContract.commandFreshness == .seconds(10))
    #expect(SessionContract.commandResignal == .milliseconds(600))
    #expect(SessionContract.resultTakeLimit == .seconds(3))
    #expect(SessionContract.resultPollInterval == .milliseconds(250))
    #expect(SessionContract.levelInterval == .milliseconds(80))
    #expect(SessionContract.pressDelay == .milliseconds(90))
    #expect(SessionContract.pastedNoticeDwell == .milliseconds(1200))
    #expect(SessionContract.otherNoticeDwell == .seconds(2))
    #expect(SessionContract.listeningWindow == .seconds(900))
  }

  @Test("Y-121 the numbers of the socket are the documented ones")
  func socketNumbers() {
    #expect(SessionContract.protocolNumber == 1)
    #expect(SessionContract.longestRequestLine == 65_536)
    #expect(SessionContract.longestReplyLine == 4_194_304)
    #expect(SessionContract.longestIdentifier == 128)
    #expect(SessionContract.deepestNesting == 32)
    #expect(SessionContract.rememberedAckCount == 64)
    #expect(SessionContract.rememberedAckByteCount == 262_144)
    #expect(SessionContract.outstandingCommandCount == 64)
    #expect(SessionContract.pressDeadlineMargin == .milliseconds(200))
    #expect(SessionContract.slowClientByteCount == 4_194_304)
    #expect(SessionContract.slowClientPatience == .seconds(10))
    #expect(SessionContract.acceptPause == .milliseconds(100))
    #expect(SessionContract.deadOwnerGrace == .seconds(2))
    #expect(SessionContract.leaseHeartbeat == .milliseconds(500) ... .seconds(10))
    #expect(SessionContract.rememberedOutcomeCount == 32)
    #expect(
      SessionContract.capabilities == [
        "apiKey", "cancelRecording", "devices", "discard", "doctor", "edit", "keys", "last", "lease", "leaseMs",
        "levels", "listening", "playSound", "presence", "pressContext", "recent", "reset", "results", "retry",
        "retryEngine", "set", "setKey", "settings", "sounds", "spool", "toggle", "transcribe", "transcribeEngine",
        "unset", "wait", "watch",
      ])
  }

  @Test("S-126 a press expires in the daemon before its client gives up")
  func deadlineComesFirst() {
    #expect(SessionContract.pressDeadlineMargin < SessionContract.pressHandshakeTimeout)
  }
}
