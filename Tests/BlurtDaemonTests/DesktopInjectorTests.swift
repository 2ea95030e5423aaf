import BlurtContract
import BlurtHotkey
import BlurtInjection
import BlurtTestSupport
import BlurtWayland
import Testing

@testable import BlurtDaemon

@Suite("X11 or Wayland") struct DesktopInjectorTests {
  @Test("a compositor that answers counts, whatever X says; one that is gone leaves X to speak")
  func status() {
    var wayland = WaylandStatus(display: "wayland-0")
    let x11 = DisplayStatus.connected(display: ":0")
    #expect(DesktopInjector.status(wayland, x11) == .unknown)
    wayland.hasLooked = true
    #expect(DesktopInjector.status(wayland, x11) == x11)
    #expect(!DesktopInjector.status(wayland, .noDisplay).canPaste)
    wayland.isReachable = true
    wayland.hasClipboard = true
    let clipboardOnly = DesktopInjector.status(wayland, x11)
    #expect(!clipboardOnly.canPaste)
    #expect(clipboardOnly.message == wayland.message)
    wayland.keys = .uinput
    #expect(DesktopInjector.status(wayland, .noDisplay).canPaste)
  }

  @Test("doctor names the way to paste, and warns with a remedy where there is none")
  func doctor() async {
    let good = DoctorProbe.display({ .wayland(message: "By wtype.", remedy: nil) }, isWayland: { true })
    #expect(await good.look(false).state == .ok)
    #expect(await good.look(false).message == "By wtype.")
    let bad = DoctorProbe.display({ .wayland(message: "By nothing.", remedy: "install it") }, isWayland: { true })
    #expect(await bad.look(false).state == .warning)
    #expect(await bad.look(false).remedy == "install it")
  }

  @Test("H-78 the hotkey's watcher leaves our own keyboard out, by its name and by its path")
  func ownKeyboard() {
    #expect(UinputKeyboard.name == EvdevDevice.ownName)
    #expect(UinputKeyboard.physicalPath.hasPrefix(EvdevDevice.ownPathPrefix))
  }

  @Test("every notice of a Wayland paste stands in the protocol's table")
  func notices() throws {
    let rows = try #require(ProtocolReference().event("notice")).rows
    #expect(Set(WaylandNotice.allCases.map(\.name)).subtracting(rows) == [])
  }
}
