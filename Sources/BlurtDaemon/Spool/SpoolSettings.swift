package import BlurtEngine

/// What the user may set about kept recordings: by default 256 MiB, 20 recordings, 24 hours.
package struct SpoolSettings: Sendable, Hashable {
  /// `BlurtKeepAudio`: whether anything is kept.
  package var keepsAudio = true
  package var maximumByteCount = 256 << 20
  package var maximumCount = 20
  package var maximumAge: Duration = .seconds(24 * 3_600)

  package init() {}

  /// As they are set now.
  package init(_ settings: Settings) {
    keepsAudio = settings.keepsAudio
    maximumByteCount = Int(settings.spoolMaximumMiB * Double(1 << 20))
    maximumCount = settings.spoolMaximumCount
    maximumAge = .seconds(settings.spoolMaximumHours * 3_600)
  }
}
