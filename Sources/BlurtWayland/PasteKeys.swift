/// How the paste keys reach a compositor.
package enum PasteKeys: String, Sendable, Hashable, CaseIterable {
  /// The program wtype, where the compositor has the virtual-keyboard protocol (sway and others of wlroots).
  case wtype
  /// A keyboard of ours in the kernel.
  case uinput

  /// The commands that help where there is neither: `takesVirtualKeys` where the compositor has the protocol of wtype.
  package static func remedy(takesVirtualKeys: Bool) -> String {
    if takesVirtualKeys { return "sudo apt-get install wtype" }
    return #"""
      echo 'KERNEL=="uinput", SUBSYSTEM=="misc", OPTIONS+="static_node=uinput", TAG+="uaccess"' | sudo tee \#
      /etc/udev/rules.d/70-uinput-uaccess.rules && echo uinput | sudo tee /etc/modules-load.d/uinput.conf && sudo \#
      modprobe uinput && sudo udevadm control --reload && sudo udevadm trigger /dev/uinput
      """#
  }
}
