import FoundationEssentials
import Testing

@testable import BlurtEngine

@Suite struct HostIdentityTests {
  @Test("P-54 P-55 P-56 P-57 P-58 every field has the default of the rule")
  func defaults() {
    #expect(HostIdentity.blurt.productName == "Blurt")
    #expect(HostIdentity.blurt.subsystem == "dev.alex.blurt")
    #expect(HostIdentity.blurt.keychainService == "blurt")
    #expect(HostIdentity.blurt.defaultsPrefix == "Blurt")
    #expect(HostIdentity.blurt.logDirectoryName == "Blurt")
  }

  @Test("P-59 the second build differs in the name of its key, and in nothing else")
  func second() {
    var dev = HostIdentity.blurtDev
    #expect(dev.keychainService != HostIdentity.blurt.keychainService)
    dev.keychainService = HostIdentity.blurt.keychainService
    #expect(dev == .blurt)
  }

  @Test("P-59 an identity is set once; a second one is refused and changes nothing")
  func once() {
    let holder = IdentityHolder()
    #expect(holder.configure(.blurtDev))
    #expect(!holder.configure(HostIdentity(productName: "Other")))
    #expect(!holder.configure(.blurtDev))
    #expect(holder.current == .blurtDev)
  }

  @Test("P-59 Y-101 whoever reads too early gets the default and keeps it, and that is noticed")
  func early() {
    let holder = IdentityHolder()
    #expect(!holder.isResolved)
    let seen = holder.current
    #expect(seen == .blurt)
    #expect(holder.isResolved)
    #expect(holder.configure(.blurtDev))
    #expect(seen == .blurt)
    #expect(holder.current == .blurtDev)
  }

  @Test("P-59 of many that configure at once, exactly one succeeds")
  func race() async {
    let holder = IdentityHolder()
    let winners = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 { group.addTask { holder.configure(HostIdentity(productName: "\(number)")) } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(winners == 1)
  }

  @Test("P-54 P-57 names that people and files see come from the identity of the process")
  func used() {
    #expect(OverlayUIState.idle.label == HostIdentity.current.productName)
    #expect(MenuBarStatus.recording.label == "\(HostIdentity.current.productName) is recording")
    for key in SettingsKey.allCases { #expect(key.name().hasPrefix(HostIdentity.current.defaultsPrefix)) }
  }
}
