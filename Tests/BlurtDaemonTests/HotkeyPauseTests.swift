import BlurtDaemon
import BlurtHotkey
import BlurtTestSupport
import Testing

@Suite("HotkeyPause") struct HotkeyPauseTests {
  @Test("B-29 H-80 the key is paused while the session is not in front, with the reason; each change is passed on once")
  func follows() {
    let wanted = Box<HotkeyStatus.Pause?>(nil)
    let applied = Box<[HotkeyStatus.Pause?]>([])
    let pause = HotkeyPause({ wanted.value }, apply: { applied.append($0) })
    pause.update()
    wanted.value = .screenLocked
    pause.update()
    pause.update()
    wanted.value = .suspending
    pause.update()
    wanted.value = nil
    pause.update()
    #expect(applied.value == [.screenLocked, .suspending, nil])
  }

  @Test("B-29 from many threads the last state wins")
  func threads() async {
    let wanted = Box<HotkeyStatus.Pause?>(nil)
    let applied = Box<[HotkeyStatus.Pause?]>([])
    let pause = HotkeyPause({ wanted.value }, apply: { applied.append($0) })
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for round in 0..<200 {
            wanted.value = (lane + round).isMultiple(of: 2) ? .seatInactive : nil
            pause.update()
          }
        }
      }
    }
    wanted.value = .screenLocked
    pause.update()
    #expect(applied.value.last == .some(.screenLocked))
    for (before, after) in zip(applied.value, applied.value.dropFirst()) { #expect(before != after) }
  }
}
