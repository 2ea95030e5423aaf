import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("TriggerBinding") struct TriggerBindingTests {
  private final class Backing: SettingsBacking {
    let values = Box<[String: SettingValue]>([:])
    /// Called at each reading, as a file that learns of its change does.
    let onRead = Box<@Sendable () -> Void>({})

    func value(forKey key: String) -> SettingValue? {
      onRead.value()
      return values.value[key]
    }
  }

  private let backing = Backing()
  private let isDictating = Box(false)
  private let bound = Box<[[TriggerKeyActivation]]>([])

  private func binding() -> TriggerBinding {
    let binding = TriggerBinding(settings: Settings(backing: backing))
    binding.attach(isDictating: { [isDictating] in isDictating.value }, rebind: { [bound] in bound.append($0) })
    return binding
  }

  @Test("P-04 a new trigger key and a new activation are bound without a restart")
  func rebinds() {
    let binding = binding()
    #expect(binding.activations == [TriggerKeyActivation(.rightControl)])
    #expect(bound.value == [])
    backing.values.value = ["BlurtTriggerKeyCode": .number(100)]
    binding.update()
    binding.update()
    #expect(bound.value == [[TriggerKeyActivation(.rightAlt)]])
    #expect(binding.bindings.dictationKey == .rightAlt)
    backing.values.update { $0["BlurtTriggerActivation"] = .string("Hold") }
    binding.update()
    #expect(bound.value.last == [TriggerKeyActivation(.rightAlt, mode: .hold)])
  }

  @Test("H-42 H-56 P-04 every key that dictates is bound, the bound one first, each with its mode; off ones are not")
  func severalKeys() throws {
    let binding = binding()
    backing.values.value = [
      "BlurtTriggerKeyCode": .number(183),
      "BlurtTriggerKeyStyles": .object([
        "100": .object(["action": .string("dictate"), "activation": .string("Hold")]),
        "56": .object(["action": .string("readAloud")]), "125": .object(["action": .string("off")]),
      ]),
    ]
    binding.update()
    #expect(bound.value == [[TriggerKeyActivation(keyCode: 183), TriggerKeyActivation(.rightAlt, mode: .hold)]])
    // A style is looked up at the press: nothing to bind anew.
    backing.values.update {
      $0["BlurtTriggerKeyStyles"] = .object([
        "100": .object([
          "action": .string("dictate"), "style": .string("mail"), "activation": .string("Hold"),
        ])
      ])
    }
    binding.update()
    #expect(bound.value.count == 1)
    // With no key that dictates none is bound.
    backing.values.value = ["BlurtTriggerKeyStyles": .object(["97": .object(["action": .string("off")])])]
    binding.update()
    #expect(bound.value.last == [])
  }

  @Test("B-32 C-54 the key that may still be down at the paste is the one that was pressed, else the bound one")
  func heldKey() {
    let binding = binding()
    #expect(binding.heldKeyCode == 97)
    binding.pressed(100)
    #expect(binding.heldKeyCode == 100)
  }

  @Test("P-04 a dictation goes on under the key that it began with; the new one counts for the next")
  func waitsForTheEnd() {
    let binding = binding()
    isDictating.value = true
    backing.values.value = ["BlurtTriggerKeyCode": .number(100)]
    binding.update()
    #expect(bound.value == [])
    #expect(binding.bindings.dictationKey == .rightControl)
    isDictating.value = false
    binding.update()
    #expect(bound.value.count == 1)
  }

  @Test("a change between start and attachment is not missed")
  func lateAttachment() {
    let binding = TriggerBinding(settings: Settings(backing: backing))
    backing.values.value = ["BlurtTriggerKeyCode": .number(100)]
    binding.update()
    #expect(binding.bindings.dictationKey == .rightControl)
    binding.attach(isDictating: { false }, rebind: { [bound] in bound.append($0) })
    #expect(bound.value.count == 1)
  }

  @Test("an update that learns of a change while it reads comes to the newest keys and to an end")
  func reentrant() {
    let binding = binding()
    let codes = Box<[Double]>([100, 56, 126])
    // The binding holds its backing, which holds this.
    defer { backing.onRead.value = {} }
    backing.onRead.value = { [backing, codes] in
      guard let code = codes.update({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
      backing.values.value = ["BlurtTriggerKeyCode": .number(code)]
      binding.update()
    }
    binding.update()
    #expect(binding.bindings.dictationKey == .rightMeta)
    #expect(bound.value.last == [TriggerKeyActivation(.rightMeta)])
  }
}
