import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite struct DictationTasksTests {
  private func tasks(_ log: EventLog) -> DictationTasks {
    let tasks = DictationTasks(number: 1)
    for kind in DictationTasks.Kind.allCases { tasks.attach(kind) { log.append("\(kind)") } }
    return tasks
  }

  @Test("S-38 a cancel reaches the upload before anything that could end the feed")
  func uploadFirst() {
    let log = EventLog()
    tasks(log).settle(.cancelled)
    #expect(log.events.first == "upload")
    #expect(Set(log.events) == ["upload", "pipeline", "bringUp", "autoRelease", "focus"])
  }

  @Test(
    "S-66 every terminal phase abandons the upload",
    arguments: PipelinePhaseTests.all.map(\.phase))
  func terminal(_ phase: PipelinePhase) {
    let log = EventLog()
    tasks(log).settle(phase)
    #expect(log.events.contains("upload") == phase.isTerminal)
  }

  @Test("S-48 S-66 a dictation cannot clear the handles of another")
  func ownHandles() {
    let log = EventLog()
    let first = tasks(log)
    let second = DictationTasks(number: 2)
    second.attach(.bringUp) { log.append("second") }
    first.detach(.bringUp)
    first.settle(.cancelled)
    #expect(second.holds(.bringUp))
    second.settle(.cancelled)
    #expect(log.count(of: "second") == 1)
    #expect(!second.holds(.bringUp))
  }

  @Test("S-42 a task that is attached after the cancel is cancelled at once")
  func late() {
    let log = EventLog()
    let tasks = DictationTasks(number: 1)
    tasks.settle(.cancelled)
    tasks.attach(.bringUp) { log.append("late") }
    #expect(log.events == ["late"])
    #expect(!tasks.holds(.bringUp))
  }

  @Test("S-68 leaving recording forgets the timer, in every direction")
  func timer() {
    for row in PipelinePhaseTests.all where !row.phase.isCapturing {
      let tasks = tasks(EventLog())
      tasks.settle(row.phase)
      #expect(!tasks.holds(.autoRelease), "\(row.name)")
    }
  }

  @Test("S-52 no phase cancels the warm-up")
  func warmUp() {
    for row in PipelinePhaseTests.all {
      let log = EventLog()
      tasks(log).settle(row.phase)
      #expect(!log.events.contains("warmUp"))
    }
  }
}
