/// How the paste keys reach a compositor.
package enum PasteKeys: String, Sendable, Hashable, CaseIterable {
  /// The program wtype, where the compositor has the virtual-keyboard protocol (sway and others of wlroots).
  case wtype
  /// A keyboard of ours in the kernel.
  case uinput

  /// What the user can do where there is neither.
  package static let remedy = "install wtype (sway, Hyprland), or let this user write to /dev/uinput (GNOME, KDE)"
}
