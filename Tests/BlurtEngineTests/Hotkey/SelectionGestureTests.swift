import BlurtEngine
import Testing

@Suite struct SelectionGestureTests {
  private let press = SessionCommand.press(key: 56)

  private func ms(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

  @Test("H-61 a tap reads the selection, and the session hears of nothing", arguments: [0, 80, 349])
  func tap(milliseconds: Int) {
    var gesture = SelectionGesture()
    #expect(gesture.take(press, at: ms(1000)) == [])
    #expect(gesture.decidesAt == ms(1350))
    #expect(gesture.take(.release, at: ms(1000 + milliseconds)) == [.readSelection])
    #expect(gesture.isIdle && gesture.decidesAt == nil)
    #expect(gesture.timePassed(to: ms(2000)) == [])
  }

  @Test("H-61 a hold asks: what was withheld is handed on in its order once the time has passed, the rest at once")
  func hold() {
    var gesture = SelectionGesture()
    #expect(gesture.take(press, at: ms(0)) == [])
    #expect(gesture.timePassed(to: ms(349)) == [])
    #expect(gesture.timePassed(to: ms(350)) == [.submit(press)])
    #expect(gesture.timePassed(to: ms(400)) == [])
    #expect(gesture.take(.release, at: ms(2000)) == [.submit(.release)])
    #expect(!gesture.isIdle)
    #expect(gesture.ended(withWords: true) == [])
    #expect(gesture.isIdle)
  }

  @Test("H-61 H-76 a timer that comes late changes nothing: the event's own time makes a hold of it, in order")
  func lateTimer() {
    var gesture = SelectionGesture()
    _ = gesture.take(press, at: ms(0))
    #expect(gesture.take(.release, at: ms(350)) == [.submit(press), .submit(.release)])
    var cancelled = SelectionGesture()
    _ = cancelled.take(press, at: ms(0))
    #expect(cancelled.take(.cancel, at: ms(900)) == [.submit(press), .submit(.cancel)])
    #expect(cancelled.isIdle)
  }

  @Test("H-61 all that is withheld is replayed, in its order")
  func severalWithheld() {
    var gesture = SelectionGesture()
    _ = gesture.take(press, at: ms(0))
    #expect(gesture.take(.press(key: 100), at: ms(100)) == [])
    #expect(gesture.timePassed(to: ms(351)) == [.submit(press), .submit(.press(key: 100))])
  }

  @Test("H-61 asking and saying nothing reads the selection")
  func silence() {
    var gesture = SelectionGesture()
    _ = gesture.take(press, at: ms(0))
    _ = gesture.timePassed(to: ms(350))
    _ = gesture.take(.release, at: ms(800))
    #expect(gesture.ended(withWords: false) == [.readSelection])
    #expect(gesture.isIdle)
  }

  @Test(
    "H-61 H-13 a shortcut before the choice is known is nothing; after it, the question is cancelled and nothing read")
  func shortcut() {
    for command in [SessionCommand.cancel, .cancelRecording] {
      var early = SelectionGesture()
      _ = early.take(press, at: ms(0))
      #expect(early.take(command, at: ms(60)) == [])
      #expect(early.isIdle)
      var late = SelectionGesture()
      _ = late.take(press, at: ms(0))
      _ = late.timePassed(to: ms(350))
      #expect(late.take(command, at: ms(400)) == [.submit(command)])
      #expect(late.ended(withWords: false) == [])
    }
  }

  @Test("H-61 a release, a cancel or an end without a press is nothing")
  func stray() {
    var gesture = SelectionGesture()
    for command in [SessionCommand.release, .cancel, .cancelRecording] {
      #expect(gesture.take(command, at: ms(0)) == [])
    }
    #expect(gesture.ended(withWords: false) == [])
    #expect(gesture == SelectionGesture())
  }
}
