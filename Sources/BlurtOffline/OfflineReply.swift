package import BlurtEngine

/// One line from the engine's process.
package enum OfflineReply: Sendable, Hashable {
  /// The engine is loaded; sent once, before any answer.
  case ready(OfflineReadiness)
  /// The engine could not be loaded; the process ends after it.
  case failed(UnderlyingError)
  case answer(id: UInt64, OfflineAnswer)
  /// One recording could not be transcribed; the process goes on.
  case error(id: UInt64, UnderlyingError)
}

/// What the engine's process says about itself once it is loaded.
package struct OfflineReadiness: Sendable, Hashable, Codable {
  package let libraryVersion: Int
  package let sandbox: OfflineSandbox
  package let loadMilliseconds: Double

  package init(libraryVersion: Int, sandbox: OfflineSandbox, loadMilliseconds: Double) {
    self.libraryVersion = libraryVersion
    self.sandbox = sandbox
    self.loadMilliseconds = loadMilliseconds
  }
}

extension OfflineReply: Codable {
  private enum Key: String, CodingKey { case ready, failed, id, answer, error }

  /// An error as it travels.
  private struct Failure: Codable {
    let code: Int
    let message: String

    init(_ error: UnderlyingError) {
      code = error.code
      message = error.message
    }

    var error: UnderlyingError { UnderlyingError(domain: .offline, code: code, message: message) }
  }

  package init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Key.self)
    if let readiness = try line.decodeIfPresent(OfflineReadiness.self, forKey: .ready) {
      self = .ready(readiness)
    } else if let failure = try line.decodeIfPresent(Failure.self, forKey: .failed) {
      self = .failed(failure.error)
    } else if let failure = try line.decodeIfPresent(Failure.self, forKey: .error) {
      self = .error(id: try line.decode(UInt64.self, forKey: .id), failure.error)
    } else {
      self = .answer(
        id: try line.decode(UInt64.self, forKey: .id), try line.decode(OfflineAnswer.self, forKey: .answer))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    switch self {
    case .ready(let readiness):
      try line.encode(readiness, forKey: .ready)
    case .failed(let error):
      try line.encode(Failure(error), forKey: .failed)
    case .answer(let id, let answer):
      try line.encode(id, forKey: .id)
      try line.encode(answer, forKey: .answer)
    case .error(let id, let error):
      try line.encode(id, forKey: .id)
      try line.encode(Failure(error), forKey: .error)
    }
  }
}
