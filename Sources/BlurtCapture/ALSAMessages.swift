internal import CALSA
internal import Glibc

/// Catches the lines that libasound would print to stderr, for the thread that asked for it.
///
/// The library reports through a handler of each thread (`snd_lib_error_set_local`). The first line since `take` is
/// kept, because it names the cause; later ones repeat it from further up.
enum ALSAMessages {
  private static let capacity = 256
  /// The thread's buffer, a C string, freed when the thread ends. −1 where no key could be had.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, { free($0) }) == 0 ? key : nil
  }()

  /// Silences libasound on this thread and starts to catch its lines. May be called again.
  static func catchOnThisThread() {
    guard let key else { return }
    if pthread_getspecific(key) == nil {
      guard let buffer = calloc(capacity, 1) else { return }
      pthread_setspecific(key, buffer)
    }
    snd_lib_error_set_local(handler)
  }

  /// The line caught since the last call; empty if there was none.
  static func take() -> String {
    guard let key, let buffer = pthread_getspecific(key)?.assumingMemoryBound(to: CChar.self) else { return "" }
    defer { buffer.pointee = 0 }
    return String(cString: buffer)
  }

  private static let handler: snd_local_error_handler_t = { _, _, _, _, format, arguments in
    // Optional on some machines only.
    let list: CVaListPointer? = arguments
    guard let key = ALSAMessages.key, let format, let list,
      let buffer = pthread_getspecific(key)?.assumingMemoryBound(to: CChar.self), buffer.pointee == 0
    else { return }
    vsnprintf(buffer, ALSAMessages.capacity, format, list)
  }
}
