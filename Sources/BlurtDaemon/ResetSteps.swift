package import BlurtEngine
internal import BlurtOS
internal import FoundationEssentials
internal import Glibc

/// What `reset` takes back here, each as a step of its own (P-61…P-66).
///
/// Only what is passed in is reached. What blocks runs on a thread of its own.
package enum ResetSteps {
  /// P-61: the settings file as a whole, with the keys of the roster and whatever else is in it. A symbolic link is removed,
  /// not what it points to. Settings are read live, so their defaults hold at once.
  package static func settings(_ path: String) -> InstallReset.Step {
    .removing("settings") { () async throws(InstallReset.Survivor) in
      if let reason = await blocking({ remove(path) }) {
        throw InstallReset.Survivor("The settings file cannot be removed (\(reason)): rm \(path)")
      }
      return nil
    }
  }

  /// P-10: copies of settings files that could not be read are the user's to look at.
  package static func brokenSettings(_ path: String) -> InstallReset.Step {
    .informing("brokenSettings") {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      guard let name = parts.last else { return nil }
      let folder = parts.dropLast().joined(separator: "/")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "/" : folder)) ?? []
      let copies = names.filter { $0.hasPrefix(name + ".broken") }.sorted()
      guard !copies.isEmpty else { return nil }
      return "Settings that could not be read were kept; remove them if you do not want them: "
        + copies.map { "\(folder)/\($0)" }.joined(separator: ", ")
    }
  }

  /// P-62: `remove` is the key's own gateway; it may block, and returns a sentence for each place that has the key still.
  package static func apiKey(_ remove: @escaping @Sendable () -> [String]) -> InstallReset.Step {
    .removing("apiKey") { () async throws(InstallReset.Survivor) in
      let survivors = await blocking(remove)
      if !survivors.isEmpty { throw InstallReset.Survivor(survivors.joined(separator: " ")) }
      return nil
    }
  }

  /// P-64: both developer logs (S-105).
  package static func logs(_ log: DeveloperLog) -> InstallReset.Step {
    .removing("logs") { () async throws(InstallReset.Survivor) in
      do throws(Errno) {
        try await log.removeStoredLogs()
      } catch {
        let path = log.displayPath(of: .dictations) ?? DeveloperLogFile.dictations.name
        throw InstallReset.Survivor("The developer logs cannot be removed (\(error.reason)); they lie at \(path).")
      }
      return nil
    }
  }

  /// Kept recordings, except one in progress.
  package static func recordings(_ spools: [RecordingSpool], folder: String) -> InstallReset.Step {
    .removing("recordings") { () async throws(InstallReset.Survivor) in
      let count = await blocking { spools.reduce(0) { $0 + $1.clear() } }
      if count > 0 { throw InstallReset.Survivor("\(count) kept recordings cannot be removed: rm -r \(folder)") }
      return nil
    }
  }

  /// What is only in memory: the last texts.
  package static func texts(_ forget: @escaping @Sendable () async -> Void) -> InstallReset.Step {
    .removing("texts") { () async throws(InstallReset.Survivor) in
      await forget()
      return nil
    }
  }

  /// P-66: the readiness record. Its writer makes a new one at the next change.
  package static func readiness(_ path: String) -> InstallReset.Step {
    .removing("readiness") { () async throws(InstallReset.Survivor) in
      if let reason = await blocking({ remove(path) }) {
        throw InstallReset.Survivor("The readiness record cannot be removed (\(reason)): rm \(path)")
      }
      return nil
    }
  }

  /// Where udev finds its rules.
  package static let ruleFolders = ["/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"]
  /// The rule of this project (`systemd/`).
  package static let ruleName = "70-blurt-uaccess.rules"

  /// P-63, P-66: what lets this user read keyboards. No program of the user's can take it back, so it is told.
  package static func permissions(
    ruleFolders: [String] = ruleFolders, isInGroupInput: @escaping @Sendable () -> Bool = isInGroupInput
  ) -> InstallReset.Step {
    .informing("permissions") {
      await blocking {
        var sentences: [String] = []
        let rules = ruleFolders.map { "\($0)/\(ruleName)" }
        if let rule = rules.first(where: { access($0, F_OK) == 0 }) {
          sentences.append("A udev rule lets you read the keyboard: sudo rm \(rule)")
        }
        if isInGroupInput() {
          sentences.append("You are in the group input: sudo gpasswd --delete \"$USER\" input, then log in again.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
      }
    }
  }

  /// Whether this process has the rights of the group `input`. Blocks: names may come from a server.
  @Sendable package static func isInGroupInput() -> Bool {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getgrnam_r("input", &entry, &buffer, buffer.count, &found) == 0, found != nil else { return false }
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return getegid() == entry.gr_gid || groups.prefix(Int(max(0, count))).contains(entry.gr_gid)
  }

  /// Removes a file; a file that is not there is removed. Returns why it stays.
  private static func remove(_ path: String) -> String? {
    do throws(Errno) {
      try Syscall.run("unlink \(path)") { unlink(path) }
    } catch {
      return error.code == ENOENT || error.code == ENOTDIR ? nil : error.reason
    }
    return nil
  }

  private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    do throws(Errno) {
      return try await Blocking.run(name: "blurt-reset", body)
    } catch {
      // No thread is to be had: here, then.
      return body()
    }
  }
}
