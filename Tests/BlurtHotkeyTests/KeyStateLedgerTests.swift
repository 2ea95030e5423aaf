import BlurtHotkey
import Testing

struct KeyStateLedgerTests {
  private let key = EvdevCode.rightControl

  private func ledger(_ devices: Int...) -> KeyStateLedger {
    var ledger = KeyStateLedger()
    for device in devices { ledger.set(device: device, holding: []) }
    return ledger
  }

  @Test("H-74 only the first press and the last release over all devices are edges")
  func orOverDevices() {
    var ledger = ledger(1, 2)
    #expect(ledger.change(key, isDown: true, device: 1) == true)
    #expect(ledger.change(key, isDown: true, device: 2) == false)
    #expect(ledger.change(key, isDown: false, device: 1) == false)
    #expect(ledger.isDown(key))
    #expect(ledger.change(key, isDown: false, device: 2) == true)
    #expect(!ledger.isDown(key))
  }

  @Test("H-74 a state told again is no edge")
  func toldAgain() {
    var ledger = ledger(1)
    #expect(ledger.change(key, isDown: false, device: 1) == false)
    #expect(ledger.change(key, isDown: true, device: 1) == true)
    #expect(ledger.change(key, isDown: true, device: 1) == false)
  }

  @Test("H-75 a device that goes lets go of the keys that nobody else holds")
  func remove() {
    var ledger = ledger(1, 2)
    _ = ledger.change(key, isDown: true, device: 1)
    _ = ledger.change(key, isDown: true, device: 2)
    _ = ledger.change(100, isDown: true, device: 1)
    #expect(ledger.remove(device: 1) == [100])
    #expect(ledger.remove(device: 2) == [key])
    #expect(ledger.remove(device: 2) == [])
    #expect(ledger.keysDown == [])
  }

  @Test("H-81 a key that was down when the device came is held without an edge, until its up")
  func seeded() {
    var ledger = ledger()
    ledger.set(device: 1, holding: [key])
    #expect(ledger.isDown(key))
    #expect(ledger.change(key, isDown: true, device: 1) == false)
    #expect(ledger.change(key, isDown: false, device: 1) == true)
  }

  @Test("events of a device that is not known are nothing")
  func unknownDevice() {
    var ledger = ledger(1)
    #expect(ledger.change(key, isDown: true, device: 9) == false)
    #expect(!ledger.isDown(key))
    #expect(ledger.contains(device: 1) && !ledger.contains(device: 9))
  }
}
