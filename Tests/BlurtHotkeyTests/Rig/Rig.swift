import CUmockdev
import Glibc
import Synchronization
import Testing

/// The user-space rig for evdev devices: libumockdev answers open, ioctl and read of nodes that do not exist.
///
/// It works only when its library is preloaded: `umockdev-wrapper swift test --skip-build --disable-xctest`.
enum Rig {
  static let isPresent = getenv("LD_PRELOAD").map { String(cString: $0).contains("umockdev") } ?? false
  static let absence: Comment = "the umockdev rig is not preloaded; run `umockdev-wrapper swift test`"

  /// Made at the first use and kept until the process ends. Guarded by `lock`.
  nonisolated(unsafe) private static let testbed: UnsafeMutablePointer<UMockdevTestbed>? = {
    // ioctl requests are answered by the default main context, so one thread must run it.
    var thread = pthread_t()
    pthread_create(&thread, nil, runMainLoop, nil)
    let testbed = umockdev_testbed_new()
    // Else it comes with the first device, too late for who watches it.
    if let root = umockdev_testbed_get_root_dir(testbed) { mkdir(String(cString: root) + "/dev", 0o755) }
    return testbed
  }()

  private static let lock = Mutex(())
  private static let lastNumber = Mutex(20)

  /// The folder that stands for `/`.
  static var root: String { withTestbed { umockdev_testbed_get_root_dir($0).map { String(cString: $0) } ?? "" } }

  /// umockdev does not promise to be safe on several threads.
  static func withTestbed<Result>(_ body: (UnsafeMutablePointer<UMockdevTestbed>?) -> Result) -> Result {
    lock.withLock { _ in body(testbed) }
  }

  /// A number that no device and no folder has had: the testbed takes none twice.
  static func nextNumber() -> Int {
    lastNumber.withLock { number in
      number += 1
      return number
    }
  }

  private static let runMainLoop: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
    g_main_loop_run(g_main_loop_new(nil, 0))
    return nil
  }
}

/// All suites that use the rig: one after the other, since the testbed is one for the process.
@Suite(.serialized, .enabled(if: Rig.isPresent, Rig.absence), .timeLimit(.minutes(1)))
struct RigTests {}
