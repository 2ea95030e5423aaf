internal import Glibc

/// Runs system calls: repeats them on EINTR and reads `errno` before anything else can change it.
package enum Syscall {
  /// Returns the call's value; throws for −1.
  @discardableResult
  package static func run<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
  ) throws(Errno) -> Value {
    while true {
      let value = body()
      let code = errno
      if value != -1 { return value }
      if code != EINTR { throw Errno(code, call: call()) }
    }
  }

  /// Returns the call's value, or nil where it would have blocked.
  package static func runNonBlocking<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
  ) throws(Errno) -> Value? {
    while true {
      let value = body()
      let code = errno
      if value != -1 { return value }
      if code == EAGAIN || code == EWOULDBLOCK { return nil }
      if code != EINTR { throw Errno(code, call: call()) }
    }
  }
}
