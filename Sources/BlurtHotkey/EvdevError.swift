package import BlurtOS

/// Why a device, or the hotkey as a whole, cannot be used.
package enum EvdevError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The user may not read the device (H-79).
  case denied(Errno)
  /// The device is gone.
  case gone
  /// It is no evdev device, or does not answer as one.
  case unusable(Errno)
  /// No key of it matters to the hotkey (H-77), or it is our own (H-78).
  case notWanted
  /// The hotkey itself cannot start.
  case cannotWatch(Errno)

  package var description: String {
    switch self {
    case .denied(let errno):
      "\(errno); install the udev rule 70-blurt-uaccess.rules and log in again, or join the group `input`"
    case .gone: "the device was unplugged"
    case .unusable(let errno): "\(errno); the device is left out"
    case .notWanted: "the device has no trigger key and no button"
    case .cannotWatch(let errno):
      "\(errno); the hotkey is off, blurtctl works. If it says too many open files, raise fs.inotify.max_user_instances"
    }
  }
}
