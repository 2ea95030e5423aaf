internal import Glibc

/// How many descriptors this process may have open (RLIMIT_NOFILE).
package enum DescriptorLimit {
  /// The limit in force.
  package static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit to the wanted number, or as far as the hard limit allows. Never lowers it.
  package static func raise(to wanted: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let reachable = min(rlim_t(wanted), limit.rlim_max)
    guard reachable > limit.rlim_cur else { return }
    limit.rlim_cur = reachable
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
