internal import BlurtEngine
internal import BlurtOS

extension CaptureNotice {
  /// Writes the notice to the journal. C-20 is the first two lines.
  func log() {
    switch self {
    case .broughtUp(let report):
      let waited = "\(CaptureFailure.milliseconds(report.waited))"
      let power = "\(Int(report.powerDB.rounded()))"
      let transport = report.transport.rawValue
      if report.isLive {
        Log.notice("microphone live", ["transport": transport, "waitedMs": waited, "powerDB": power])
      } else {
        Log.warning("microphone not live", ["transport": transport, "waitedMs": waited, "powerDB": power])
      }
    case .chosenDeviceAbsent(let name):
      Log.warning("chosen microphone absent, default used", ["device": name])
    case .sourceChanged(let old, let new):
      Log.warning(
        "the sound server records from another source now",
        ["before": old.name, "now": new.name, "isMonitor": "\(new.isMonitor)"])
    case .overrun(let count):
      Log.warning("capture overrun, some sound lost", ["count": "\(count)"])
    case .resumed:
      Log.notice("microphone resumed after suspend")
    case .deviceLost(let error, let byteCount):
      Log.warning("microphone lost while recording", ["reason": error.message, "byteCount": "\(byteCount)"])
    case .closeDelayed:
      Log.warning("microphone does not close yet")
    }
  }
}
