package import BlurtEngine
internal import Synchronization

/// The shortcuts as they are stored now, made ready once for each change of them (P-04).
///
/// Any thread. Its texts go nowhere but into the window that is dictated into (P-45).
package final class LiveShortcuts: Sendable {
  private struct Ready {
    let stored: SettingValue?
    let expander: TextShortcutExpander
    let redactor: TextShortcutRedactor

    init(_ stored: SettingValue?) {
      let shortcuts = TextShortcutStore.shortcuts(stored)
      self.stored = stored
      expander = TextShortcutExpander(shortcuts)
      redactor = TextShortcutRedactor(shortcuts)
    }
  }

  private let store: TextShortcutStore
  private let ready = Mutex<Ready?>(nil)

  package init(store: TextShortcutStore) { self.store = store }

  /// The engine's text with the user's triggers replaced (S-71).
  package func expand(_ text: String) -> String { current().expander.expand(text) }

  /// The text before the caret with the user's expansions taken out (P-52).
  package func redact(_ text: String) -> String { current().redactor.redact(text) }

  private func current() -> Ready {
    let stored = store.storedValue
    if let ready = ready.withLock({ $0 }), ready.stored == stored { return ready }
    let made = Ready(stored)
    ready.withLock { $0 = made }
    return made
  }
}
