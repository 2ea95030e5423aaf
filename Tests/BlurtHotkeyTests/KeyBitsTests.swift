import BlurtHotkey
import Testing

struct KeyBitsTests {
  @Test("bits lie as the kernel lays them: code 0 is the lowest bit of the first byte")
  func layout() {
    let bits = KeyBits([0, 9, 97, 767])
    #expect(bits.bytes.count == 96)
    #expect(bits.bytes[0] == 0b1)
    #expect(bits.bytes[1] == 0b10)
    #expect(bits.bytes[12] == 0b10)
    #expect(bits.bytes[95] == 0x80)
    #expect((0..<768).filter(bits.contains) == [0, 9, 97, 767])
  }

  @Test("codes that the kernel does not have are left out")
  func outOfRange() {
    #expect(KeyBits([-1, 768, .max, .min]) == KeyBits())
    #expect(!KeyBits().contains(-1))
    #expect(!KeyBits().contains(768))
  }

  @Test("the words of sysfs are read from the last to the first, whatever their width")
  func sysfs() throws {
    // Two words of 64 bits: code 97 is bit 33 of the second from the right.
    #expect(try #require(KeyBits(sysfs: "200000000 2\n", wordBits: 64)) == KeyBits([97, 1]))
    #expect(try #require(KeyBits(sysfs: "2 0 0 2\n", wordBits: 32)) == KeyBits([97, 1]))
    #expect(try #require(KeyBits(sysfs: "0\n", wordBits: 64)) == KeyBits())
    // As the kernel writes it for a mouse with five buttons.
    let mouse = try #require(KeyBits(sysfs: "1f0000 0 0 0 0\n", wordBits: 64))
    #expect((0..<768).filter(mouse.contains) == Array(0x110...0x114))
  }

  @Test("what is no list of hex words is refused", arguments: ["", "\n", "xyz", "1 -2", "11111111111111111"])
  func notSysfs(text: String) {
    #expect(KeyBits(sysfs: text, wordBits: 64) == nil)
  }

  @Test("more words than the kernel has codes do no harm")
  func tooManyWords() throws {
    let text = Array(repeating: "ffffffffffffffff", count: 40).joined(separator: " ")
    #expect(try #require(KeyBits(sysfs: text, wordBits: 64)) == KeyBits(0..<768))
  }
}
