internal import Glibc

/// A folder that holds the offline engine: library, runtime and English model, placed as they are in the wheel.
package struct OfflineInstallation: Sendable, Hashable {
  /// The folder that `scripts/fetch-offline-engine.sh` filled.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// The library; it finds its runtime beside itself by a relative path.
  package var library: String { folder + "/moonshine_voice/libmoonshine.so" }

  /// The folder of the model's three files.
  package var model: String { folder + "/moonshine_voice/assets/tiny-en" }

  /// Every file that must be readable.
  package var files: [String] {
    [library] + ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"].map { model + "/" + $0 }
  }

  /// Whether the files are there. Says nothing about whether they work: the engine's process finds that out.
  package var isPresent: Bool { files.allSatisfy { access($0, R_OK) == 0 } }

  /// The first folder that holds the engine, in the order of `candidates(environment:)`.
  package static func find(environment: [String: String]) -> OfflineInstallation? {
    candidates(environment: environment).map { OfflineInstallation(folder: $0) }.first(where: \.isPresent)
  }

  /// Where the engine is looked for. A folder named by `BLURT_OFFLINE_DIR` is the only one that counts.
  package static func candidates(environment: [String: String]) -> [String] {
    if let named = environment["BLURT_OFFLINE_DIR"], !named.isEmpty { return [named] }
    var folders: [String] = []
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      folders.append(data + "/blurt/offline")
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folders.append(home + "/.local/share/blurt/offline")
    }
    return folders + ["/usr/local/lib/blurt/offline", "/usr/lib/blurt/offline"]
  }

  /// The sentence for people who do not have it.
  package static func missingMessage(environment: [String: String]) -> String {
    "The offline engine is not in \(candidates(environment: environment).joined(separator: ", ")). "
      + OfflineFault.remedy
  }
}
