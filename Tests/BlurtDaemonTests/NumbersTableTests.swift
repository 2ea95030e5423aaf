import AssemblyAI
import BlurtContext
import BlurtContract
import BlurtCues
import BlurtEngine
import BlurtOS
import BlurtSeat
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtCapture
@testable import BlurtDaemon
@testable import BlurtHTTP
@testable import BlurtHotkey
@testable import BlurtIPC
@testable import BlurtInjection
@testable import BlurtOffline
@testable import BlurtWayland

/// DESIGN.md's table of numbers, row by row against the code.
@Suite("The table of numbers") struct NumbersTableTests {
  /// The code's values, written as the table writes them.
  private static let values: [String: String] = [
    "DictationKeyGate.defaultHoldThreshold": written(DictationKeyGate.defaultHoldThreshold),
    "DictationKeyTracker.unplugWindow": written(DictationKeyTracker.unplugWindow),
    "DeliveryWitness.changesOfASilencedDevice": written(DeliveryWitness.changesOfASilencedDevice),
    "HotkeyLoop.lookInterval": written(HotkeyLoop.lookInterval),
    "SelectionGesture.askThreshold": written(SelectionGesture.askThreshold),
    "DictationSession.contextWaitBudget": written(DictationSession.contextWaitBudget),
    "ContextLimits.call": written(ContextLimits().call),
    "ContextLimits.reading": written(ContextLimits().reading),
    "ContextLimits.readingsAtOnce": written(ContextLimits().readingsAtOnce),
    "ContextLimits.objects": written(ContextLimits().objects),
    "ContextLimits.partsOfAnObject": written(ContextLimits().partsOfAnObject),
    "FocusedFieldContext.priorTextLimit": written(FocusedFieldContext.priorTextLimit),
    "FocusedFieldContext.selectedTextLimit": written(FocusedFieldContext.selectedTextLimit),
    "FocusedFieldContext.windowTitleLimit": written(FocusedFieldContext.windowTitleLimit),
    "FocusedFieldContext.fieldLabelLimit": written(FocusedFieldContext.fieldLabelLimit),
    "SyncSTTLimits.minimumByteCount": written(SyncSTTLimits.minimumByteCount),
    "SyncSTTLimits.autoReleaseAfter": written(SyncSTTLimits.autoReleaseAfter),
    "SyncSTTLimits.streamingCap": written(SyncSTTLimits.streamingCap),
    "SyncSTTLimits.fallbackByteLimit": written(SyncSTTLimits.fallbackByteLimit),
    "RecentDictations.capacity": written(RecentDictations.capacity),
    "MicLiveness.silenceFloorDB": written(MicLiveness.silenceFloorDB),
    "MicLiveness.shortestWindow": written(MicLiveness.shortestWindow),
    "AudioTransport.bluetooth.livenessCap": written(AudioTransport.bluetooth.livenessCap),
    "AudioTransport.usb.livenessCap": written(AudioTransport.usb.livenessCap),
    "AudioTransport.unknown.livenessCap": written(AudioTransport.unknown.livenessCap),
    "AudioTransport.bluetooth.tail": written(AudioTransport.bluetooth.tail),
    "LevelMeter.valuesPerSecond": written(LevelMeter.valuesPerSecond),
    "CaptureWorker.handOverMilliseconds": written(CaptureWorker.handOverMilliseconds),
    "CaptureWorker.inquiryDelay": written(CaptureWorker.inquiryDelay),
    "CaptureWorker.staleAfter": written(CaptureWorker.staleAfter),
    "CaptureWorker.lastWait": written(CaptureWorker.lastWait),
    "ServerInquiry.limit": written(ServerInquiry.limit),
    "PCMHandle.periodMilliseconds": written(PCMHandle.periodMilliseconds),
    "PCMHandle.bufferMilliseconds": written(PCMHandle.bufferMilliseconds),
    "CaptureLimits.openDeadline": written(CaptureLimits().openDeadline),
    "CaptureLimits.frozenAfter": written(CaptureLimits().frozenAfter),
    "SpoolSettings.maximumByteCount": written(SpoolSettings().maximumByteCount),
    "SpoolSettings.maximumCount": written(SpoolSettings().maximumCount),
    "SpoolSettings.maximumAge": written(SpoolSettings().maximumAge),
    "DictationConfig.sttPromptScalarLimit": written(DictationConfig.sttPromptScalarLimit),
    "DictationConfig.keyTermsByteLimit": written(DictationConfig.keyTermsByteLimit),
    "DictationConfig.keyTermsCountLimit": written(DictationConfig.keyTermsCountLimit),
    "DictationConfig.llmInstructionByteLimit": written(DictationConfig.llmInstructionByteLimit),
    "DictationRequests.stallTimeout": written(DictationRequests.stallTimeout),
    "DictationRequests.warmUpTimeout": written(DictationRequests.warmUpTimeout),
    "CurlOptions.connectTimeout": written(CurlOptions().connectTimeout),
    "CurlOptions.longestIdle": written(CurlOptions().longestIdle),
    "CurlOptions.longestWait": written(CurlOptions().longestWait),
    "CurlOptions.streamTrust": written(CurlOptions().streamTrust),
    "CurlOptions.bodyTrust": written(CurlOptions().bodyTrust),
    "TranscriptionDiagnostics.shortfallTolerance": written(TranscriptionDiagnostics.shortfallTolerance),
    "InjectionTiming.settleFloor": written(InjectionTiming.standard.settleFloor),
    "InjectionTiming.quietAfterRead": written(InjectionTiming.standard.quietAfterRead),
    "InjectionTiming.neverRead": written(InjectionTiming.standard.neverRead),
    "InjectionTiming.takeover": written(InjectionTiming.standard.takeover),
    "InjectionTiming.activation": written(InjectionTiming.standard.activation),
    "InjectionTiming.snapshot": written(InjectionTiming.standard.snapshot),
    "InjectionTiming.snapshotByteLimit": written(InjectionTiming.standard.snapshotByteLimit),
    "InjectionTiming.modifierWait": written(InjectionTiming.standard.modifierWait),
    "InjectionTiming.transferStall": written(InjectionTiming.standard.transferStall),
    "InjectionTiming.handover": written(InjectionTiming.standard.handover),
    "DisplayWait.pauses": written(DisplayWait.pauses.reduce(.zero, +)),
    "UserManager.standardLimit": written(UserManager.standardLimit),
    "InjectionTiming.focusBudget": written(InjectionTiming.standard.focusBudget),
    "WaylandTiming.settleFloor": written(WaylandTiming.standard.settleFloor),
    "WaylandTiming.quietAfterRead": written(WaylandTiming.standard.quietAfterRead),
    "WaylandTiming.neverRead": written(WaylandTiming.standard.neverRead),
    "WaylandTiming.takeover": written(WaylandTiming.standard.takeover),
    "WaylandTiming.activation": written(WaylandTiming.standard.activation),
    "WaylandTiming.snapshot": written(WaylandTiming.standard.snapshot),
    "WaylandTiming.snapshotByteLimit": written(WaylandTiming.standard.snapshotByteLimit),
    "WaylandTiming.modifierWait": written(WaylandTiming.standard.modifierWait),
    "WaylandTiming.program": written(WaylandTiming.standard.program),
    "WaylandTiming.question": written(WaylandTiming.standard.question),
    "WaylandTiming.focusBudget": written(WaylandTiming.standard.focusBudget),
    "OfflineProcess.decodeLimit": written(OfflineProcess.decodeLimit),
    "OfflineProcess.loadLimit": written(OfflineProcess.loadLimit),
    "SoundDecoder.limit": written(SoundDecoder.limit),
    "SoundDecoder.memoryLimit": written(SoundDecoder.memoryLimit),
    "OfflineProcess.gateLimit": written(OfflineProcess.gateLimit),
    "OfflineProcess.cancelLimit": written(OfflineProcess.cancelLimit),
    "SpeechCut.shortestClip": written(SpeechCut.shortestClip),
    "SpeechCut.shortestSpeech": written(SpeechCut.shortestSpeech),
    "SpeechCut.longestPiece": written(SpeechCut.longestPiece),
    "GateBlocks.longestBlock": written(GateBlocks.longestBlock),
    "ServerLimits.reservedDescriptorCount": written(ServerLimits.reservedDescriptorCount),
    "SessionContract.pressHandshakeTimeout": written(SessionContract.pressHandshakeTimeout),
    "SessionContract.pressDeadlineMargin": written(SessionContract.pressDeadlineMargin),
    "SessionContract.longestRequestLine": written(SessionContract.longestRequestLine),
    "SessionContract.longestReplyLine": written(SessionContract.longestReplyLine),
    "SessionContract.rememberedAckCount": written(SessionContract.rememberedAckCount),
    "SessionContract.outstandingCommandCount": written(SessionContract.outstandingCommandCount),
    "SessionContract.slowClientByteCount": written(SessionContract.slowClientByteCount),
    "SessionContract.slowClientPatience": written(SessionContract.slowClientPatience),
    "SessionContract.levelInterval": written(SessionContract.levelInterval),
    "APIKeyDisplay.tailLength": written(APIKeyDisplay.tailLength),
    "APIKeyDisplay.minimumLengthToMask": written(APIKeyDisplay.minimumLengthToMask),
    "APIKeySubmission.longestKey": written(APIKeySubmission.longestKey),
    "APIKeyValidator.timeout": written(APIKeyValidator.timeout),
    "SecretService.limit": written(SecretService.limit),
    "OpenAITranscriber.patience": written(OpenAITranscriber.patience),
    "OpenAIPrompt.byteLimit": written(OpenAIPrompt.byteLimit),
    "OpenAIServerCheck.limit": written(OpenAIServerCheck.limit),
    "CommandTranscriber.outputLimit": written(CommandTranscriber.outputLimit),
    "CommandTranscriber.complaintLimit": written(CommandTranscriber.complaintLimit),
    "HelperProgram.errorLimit": written(HelperProgram.errorLimit),
    "HelperProgram.endingGrace": written(HelperProgram.endingGrace),
    "Daemon.stopPatience": written(Daemon.stopPatience),
    "DoctorProbe.shownComplaints": written(DoctorProbe.shownComplaints),
    "DeveloperLog.waitingLimit": written(DeveloperLog.waitingLimit),
    "Doctor.patience": written(Doctor.patience),
    "MicrophoneTrial.length": written(MicrophoneTrial.length),
    "SessionContract.rememberedOutcomeCount": written(SessionContract.rememberedOutcomeCount),
    "StyleProfileStore.countLimit": written(StyleProfileStore.countLimit),
    "StyleProfile.nameLimit": written(StyleProfile.nameLimit),
    "StyleProfile.idLimit": written(StyleProfile.idLimit),
    "TextShortcutStore.countLimit": written(TextShortcutStore.countLimit),
    "TextShortcut.triggerLimit": written(TextShortcut.triggerLimit),
    "TextShortcut.expansionLimit": written(TextShortcut.expansionLimit),
    "TextShortcutRedactor.shortestTail": written(TextShortcutRedactor.shortestTail),
    "PresentationTiming.fadeIn": written(PresentationTiming.fadeIn),
    "PresentationTiming.fadeOut": written(PresentationTiming.fadeOut),
    "PresentationTiming.previewGap": written(PresentationTiming.previewGap),
    "PresentationTiming.cueVolume": written(PresentationTiming.cueVolume),
    "CueSound.sampleRate": written(CueSound.sampleRate),
    "CuePlayer.freshness": written(CuePlayer.freshness),
    "RecordingEdges.patience": written(RecordingEdges.patience),
    "MediaPauser.limit": written(MediaPauser.limit),
    "RecentDictation.justNowThreshold": written(RecentDictation.justNowThreshold),
    "SessionContract.readinessLease": written(SessionContract.readinessLease),
    "SessionContract.readinessHeartbeat": written(SessionContract.readinessHeartbeat),
    "SessionContract.deadOwnerRelease": written(SessionContract.deadOwnerRelease),
    "SessionContract.presenceHeartbeat": written(SessionContract.presenceHeartbeat),
    "SessionContract.presenceFreshness": written(SessionContract.presenceFreshness),
    "SessionContract.listeningWindow": written(SessionContract.listeningWindow),
    "SettingsFileContent.largestFile": written(SettingsFileContent.largestFile),
    "SettingsFileLook.settlingTime": written(SettingsFileLook.settlingTime),
    "SettingsFile.standardWritingTime": written(SettingsFile.standardWritingTime),
    "FileWatch.quietTime": written(FileWatch.quietTime),
    "SettingsFileWriter.attemptCount": written(SettingsFileWriter.attemptCount),
    "FanOut.frontCount": written(FanOut.frontCount),
    "FanOut.sliceCount": written(FanOut.sliceCount),
    "FanOut.pause": written(FanOut.pause),
    "EventBacklog.longestPacket": written(EventBacklog.longestPacket),
    "CrowdMemory.crowd": written(CrowdMemory.crowd),
    "CrowdMemory.much": written(CrowdMemory.much),
    "SeatLimits.call": written(SeatLimits().call),
    "SeatLimits.connection": written(SeatLimits().connection),
    "SeatLimits.lockGrace": written(SeatLimits().lockGrace),
    "SeatLimits.sleepHold": written(SeatLimits().sleepHold),
    "SeatLimits.retryPauses": written(SeatLimits().retryPauses.reduce(.zero, +)),
    "FileTranscription.largestFile": written(FileTranscription.largestFile),
  ]

  private static func written(_ value: Duration) -> String {
    let milliseconds = Int(value / .milliseconds(1))
    return milliseconds.isMultiple(of: 1_000) ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }

  private static func written(_ value: some CustomStringConvertible) -> String { "\(value)" }

  /// The first two cells of each row.
  private static func rows() throws -> [(name: String, value: String)] {
    let text = try String(contentsOfFile: ProtocolTranscript.root() + "/DESIGN.md", encoding: .utf8)
    let section = text.split(separator: "\n## ").first { $0.hasPrefix("Numbers\n") } ?? ""
    return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
      let trimmed = cells.map { cell in String(cell.reversed().drop { $0 == " " }.reversed()) }
      return (String(trimmed[0].dropFirst().dropLast()), trimmed[1])
    }
  }

  @Test("every row of DESIGN.md has the value of the code, and no number is missing")
  func table() throws {
    let rows = try Self.rows()
    #expect(Set(rows.map(\.name)) == Set(Self.values.keys))
    for row in rows { #expect(Self.values[row.name] == row.value, "\(row.name)") }
  }
}
