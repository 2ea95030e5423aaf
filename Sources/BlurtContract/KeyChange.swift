/// What `setKey` changes; what is nil stays as it is.
package struct KeyChange: Hashable, Sendable {
  /// The key: its name or its code as text; nil for every key, of which only the activation can be changed.
  package var key: String?
  /// `off`, `dictate`, `readAloud` or `ask`.
  package var choice: String?
  /// The id or the name of the style, `default` for the base.
  package var style: String?
  /// `TapOrHold`, `Tap` or `Hold`, in any case.
  package var activation: String?
  /// The key becomes the bound one, whose style is the active one.
  package var isBound: Bool
  /// No other key keeps the action.
  package var isOnly: Bool

  package init(
    key: String? = nil, choice: String? = nil, style: String? = nil, activation: String? = nil, isBound: Bool = false,
    isOnly: Bool = false
  ) {
    self.key = key
    self.choice = choice
    self.style = style
    self.activation = activation
    self.isBound = isBound
    self.isOnly = isOnly
  }
}
