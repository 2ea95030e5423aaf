internal import CLinux

/// Memory that was used and is free.
package enum FreeMemory {
  /// Gives it back to the kernel; the C library keeps most of it by itself. Takes up to a few milliseconds.
  package static func giveBack() { blurt_linux_give_back_memory() }
}
