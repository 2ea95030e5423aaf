internal import CALSA
internal import Glibc

/// A failed call into libasound: which call, on which PCM, and what the library said.
package struct ALSAError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a caller does differently.
  package enum Kind: Hashable, Sendable {
    /// EBUSY: another program has the device.
    case busy
    /// EACCES, EPERM: the device may not be opened.
    case denied
    /// ENOENT, ENODEV at open: there is no such PCM, or nothing behind it; also a source that its server does not have.
    case missing
    /// EPIPE: the buffer overran. Recoverable.
    case overrun
    /// ESTRPIPE: the machine was suspended. Recoverable.
    case suspended
    /// Everything else: for a stream that ran, it is gone.
    case failed
  }

  /// The negative code as libasound returned it.
  package let code: Int32
  /// The C function.
  package let call: String
  /// The PCM's name.
  package let pcm: String
  /// The library's own line about it; empty where it printed none.
  package let detail: String

  package init(_ code: Int32, call: String, pcm: String, detail: String = "") {
    self.code = code
    self.call = call
    self.pcm = pcm
    self.detail = detail
  }

  package var kind: Kind {
    switch -code {
    case EBUSY, EAGAIN: .busy
    case EACCES, EPERM: .denied
    case ENOENT, ENODEV, ENXIO: .missing
    case EPIPE: .overrun
    case ESTRPIPE: .suspended
    // A sound server's source that is gone comes as EIO; only the words tell it from a server that fails (C-07).
    default: detail.contains("No such entity") ? .missing : .failed
    }
  }

  /// The library's words for the code.
  package var reason: String {
    guard let text = snd_strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }

  package var description: String {
    "\(call) \(pcm): \(reason)" + (detail.isEmpty ? "" : " (\(detail))")
  }
}
