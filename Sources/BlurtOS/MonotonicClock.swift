internal import Glibc

/// Readings of the kernel's monotonic clock.
package enum MonotonicClock {
  /// Time since an arbitrary start, not counting suspend. The same scale as evdev timestamps after EVIOCSCLOCKID.
  package static func now() -> Duration { read(CLOCK_MONOTONIC) }

  /// Time since boot, counting suspend.
  package static func sinceBoot() -> Duration { read(CLOCK_BOOTTIME) }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
