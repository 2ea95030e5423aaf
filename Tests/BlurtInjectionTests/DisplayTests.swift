import BlurtOS
import Foundation
import Glibc
import Testing

@testable import BlurtInjection

/// Where a display is looked for, and when.
@Suite("display")
struct DisplayTests {
  private func entry(family: Int = 256, host: String = "host", display: String, scheme: String, cookie: [UInt8])
    -> [UInt8]
  {
    func counted(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes }
    return [UInt8(family >> 8), UInt8(family & 0xff)] + counted(Array(host.utf8)) + counted(Array(display.utf8))
      + counted(Array(scheme.utf8)) + counted(cookie)
  }

  @Test("B-136 the cookie of the display is found among others; an entry without a number is for each")
  func cookies() {
    let scheme = CookieFile.scheme
    let bytes =
      entry(display: "1", scheme: scheme, cookie: [1]) + entry(display: "0", scheme: "XDM-AUTHORIZATION-1", cookie: [2])
      + entry(family: 65535, host: "", display: "0", scheme: scheme, cookie: [3])
      + entry(display: "", scheme: scheme, cookie: [4])
    #expect(CookieFile.cookie(in: bytes, display: "0") == [3])
    #expect(CookieFile.cookie(in: bytes, display: "1") == [1])
    #expect(CookieFile.cookie(in: bytes, display: "7") == [4])
  }

  @Test("a cookie file that is cut short or is none gives nothing")
  func brokenCookies() {
    let whole = entry(display: "0", scheme: CookieFile.scheme, cookie: Array(repeating: 7, count: 16))
    for count in 0..<whole.count { #expect(CookieFile.cookie(in: Array(whole[..<count]), display: "0") == nil) }
    #expect(CookieFile.cookie(in: Array("not a cookie file\n".utf8), display: "0") == nil)
    #expect(CookieFile.cookie(in: "/nowhere/Xauthority", display: "0") == nil)
  }

  @Test(
    "the number of a display",
    arguments: [(":0", "0"), (":12.1", "12"), ("host:3.0", "3"), ("unix:4", "4"), ("", nil), (":", nil), (":x", nil)])
  func number(_ name: String, _ number: String?) {
    #expect(DisplayAddress(name: name).number == number)
  }

  @Test("an environment names a display, with its cookie file or without")
  func environment() {
    #expect(DisplayAddress(environment: [:]) == nil)
    #expect(DisplayAddress(environment: ["DISPLAY": ""]) == nil)
    #expect(DisplayAddress(environment: ["DISPLAY": ":1", "XAUTHORITY": ""]) == DisplayAddress(name: ":1"))
    #expect(
      DisplayAddress(environment: ["DISPLAY": ":1", "XAUTHORITY": "/a"])
        == DisplayAddress(name: ":1", authorityFile: "/a"))
  }

  @Test("B-137 after a sign a display is looked for eight times in about a minute, and then no more")
  func pauses() {
    let wait = DisplayWait(folder: "/nowhere")
    #expect(wait.nextLook == nil && !wait.isDue(now: .seconds(1_000_000)))
    var now = Duration.seconds(100)
    wait.expect(now: now)
    var looks = 0
    while let next = wait.nextLook {
      #expect(!wait.isDue(now: next - .milliseconds(1)))
      now = next
      #expect(wait.isDue(now: now))
      looks += 1
      wait.lookedInVain(now: now)
    }
    #expect(looks == DisplayWait.pauses.count)
    #expect((60...70).contains((now - .seconds(100)).components.seconds))
    // Somebody wants it out of turn: that is a sign again, but a second one meanwhile changes nothing.
    wait.lookedInVain(now: now)
    let next = wait.nextLook
    #expect(next == now + DisplayWait.pauses[0])
    wait.lookedInVain(now: now)
    #expect(wait.nextLook == next)
    wait.end()
    #expect(wait.nextLook == nil && wait.descriptor == nil)
  }

  @Test("B-135 the socket of a new server is a sign, also where its folder came later")
  func socket() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blurt-x-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let wait = DisplayWait(folder: folder.path)
    var now = Duration.zero
    wait.expect(now: now)
    #expect(wait.descriptor == nil)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    while let next = wait.nextLook {
      now = next
      wait.lookedInVain(now: now)
    }
    let descriptor = try #require(wait.descriptor)
    #expect(!wait.isDue(now: now) && wait.nextLook == nil)
    try Data().write(to: folder.appendingPathComponent("X7"))
    var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&set, 1, 0) == 1)
    #expect(!wait.isDue(now: now))
    #expect(wait.nextLook == now + DisplayWait.pauses[0])
    // Read, so that it does not wake the thread again.
    #expect(poll(&set, 1, 0) == 0)
    // A folder that goes takes its watch along.
    try FileManager.default.removeItem(at: folder)
    _ = wait.isDue(now: now)
    #expect(wait.descriptor == nil)
  }
}
