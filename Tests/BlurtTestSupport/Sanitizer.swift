internal import Glibc
public import Testing

/// Which of the compiler's sanitizers this test process runs under.
public enum Sanitizer {
  /// Thread or address: everything takes several times as long.
  public static var isOn: Bool { dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil }
  /// Why a test is left out then.
  public static var reason: Comment { "arithmetic on values of one thread: a sanitizer has nothing to find" }
}
