internal import BlurtEngine

/// The failures of capture as the session sees them, each with a sentence that says what to do next.
enum CaptureFailure {
  /// The device could not be opened, configured or started.
  static func cannotOpen(_ error: ALSAError) -> BlurtError {
    let name = "“\(error.pcm)”"
    switch error.kind {
    case .busy:
      return alsa(
        error,
        "The microphone \(name) is in use by another program. `fuser -v /dev/snd/*` shows which: close it, or choose "
          + "another microphone with BlurtMicDeviceUID.")
    case .denied:
      return alsa(
        error,
        "The microphone \(name) may not be opened. Join the group that owns it (`sudo usermod -aG audio $USER`) and "
          + "log in again.")
    case .missing:
      return fault(
        .noInputDevice,
        "There is no microphone \(name). Connect one; `blurtctl devices` lists those there are, and BlurtMicDeviceUID "
          + "chooses one of them.")
    case .overrun, .suspended, .failed:
      // C-19
      return fault(
        .noInputDevice,
        "The microphone \(name) did not start (\(said(error))). If a sound server runs, look at "
          + "`systemctl --user status pipewire pulseaudio`; otherwise try `arecord -D \(error.pcm) -d 1 /dev/null`.")
    }
  }

  /// C-18: started, but nothing live came.
  ///
  /// - Parameter source: What stands behind the PCM, where a sound server said so.
  static func neverDelivered(_ report: BringUpReport, frameCount: Int, source: ServerSource? = nil) -> BlurtError {
    let time = milliseconds(report.waited)
    if let source, source.isMuted {
      return fault(
        .inputNeverDelivered,
        "The microphone “\(source.description)” is muted in the sound server. Unmute it in the sound settings of the "
          + "desktop, or with `pactl set-source-mute \(source.name) 0`.")
    }
    if let source, source.isMonitor {
      return fault(
        .inputNeverDelivered,
        "The sound server's default input “\(source.description)” hears what the machine plays, not a microphone. It is "
          + "silent, or muted. Choose a microphone in the sound settings of the desktop, or with `pactl "
          + "set-default-source` (`pactl list short sources` names them).")
    }
    if frameCount == 0 {
      return fault(
        .inputNeverDelivered,
        "The microphone “\(report.pcm)” was opened but delivered no sound within \(time) ms. Reconnect it, or choose "
          + "another with BlurtMicDeviceUID.")
    }
    // C-25
    return fault(
      .inputNeverDelivered,
      "The microphone “\(source?.description ?? report.pcm)” delivers only digital silence: it is probably muted. Check its mute switch and "
        + "the capture volume (`alsamixer`, or the sound settings of the desktop).")
  }

  /// Opening hangs.
  static func serverSilent(_ pcm: String) -> BlurtError {
    fault(
      .noInputDevice,
      "The sound server did not answer when the microphone “\(pcm)” was opened. "
        + "`systemctl --user restart pipewire wireplumber` (or `pulseaudio -k`) usually helps.")
  }

  /// The device disappeared while it recorded.
  static func lost(_ error: ALSAError) -> UnderlyingError {
    UnderlyingError(
      domain: .capture, code: CaptureFault.deviceLost.rawValue,
      message: "The microphone “\(error.pcm)” went away while recording (\(said(error))). "
        + "What was said until then is kept.")
  }

  /// The device stopped delivering while it recorded.
  static func frozen(_ pcm: String) -> UnderlyingError {
    UnderlyingError(
      domain: .capture, code: CaptureFault.deviceLost.rawValue,
      message: "The microphone “\(pcm)” stopped delivering sound. What was said until then is kept.")
  }

  static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

  private static func said(_ error: ALSAError) -> String { error.detail.isEmpty ? error.reason : error.detail }

  private static func alsa(_ error: ALSAError, _ message: String) -> BlurtError {
    .audioCaptureFailed(underlying: UnderlyingError(domain: .alsa, code: Int(error.code), message: message))
  }

  private static func fault(_ fault: CaptureFault, _ message: String) -> BlurtError {
    .audioCaptureFailed(underlying: UnderlyingError(domain: .capture, code: fault.rawValue, message: message))
  }
}
