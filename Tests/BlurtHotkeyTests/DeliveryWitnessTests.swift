import Testing

@testable import BlurtHotkey

struct DeliveryWitnessTests {
  @Test("B-12 two changes in a row without an event mean that somebody else has the events; one may be an accident")
  func twoInARow() {
    var witness = DeliveryWitness()
    #expect(!witness.isSilenced)
    witness.missed()
    #expect(!witness.isSilenced)
    witness.missed()
    #expect(witness.isSilenced)
    for _ in 0..<1000 { witness.missed() }
    witness.heard()
    #expect(!witness.isSilenced)
  }

  @Test("B-12 an event in between acquits it")
  func acquitted() {
    var witness = DeliveryWitness()
    for _ in 0..<10 {
      witness.missed()
      witness.heard()
    }
    #expect(!witness.isSilenced)
  }

  @Test("B-12 a device that has spoken since it was asked last is not asked this time")
  func askedOnlyWhenSilent() {
    var witness = DeliveryWitness()
    var answers = [witness.wasSilent(), witness.wasSilent()]
    witness.heard()
    answers += [witness.wasSilent(), witness.wasSilent()]
    #expect(answers == [true, true, false, true])
  }
}
