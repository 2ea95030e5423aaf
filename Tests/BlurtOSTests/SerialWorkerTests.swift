import BlurtOS
import BlurtTestSupport
import Dispatch
import Testing

@Suite("SerialWorker", .timeLimit(.minutes(1))) struct SerialWorkerTests {
  @Test("S-102 jobs run one at a time in the order in which they came, also when they come from within")
  func order() async {
    let worker = SerialWorker(name: "test-serial")
    let ran = Box<[Int]>([])
    let inside = Box(0)
    let (done, signal) = AsyncStream.makeStream(of: Void.self)
    for number in 0..<500 {
      worker.submit {
        #expect(
          inside.update {
            $0 += 1
            return $0
          } == 1)
        ran.append(number)
        inside.update { $0 -= 1 }
        if number == 499 { worker.submit { signal.finish() } }
      }
    }
    for await _ in done {}
    #expect(ran.value == Array(0..<500))
    #expect(await eventually { worker.isIdle })
  }

  @Test("a worker that was idle starts again, and jobs that race with its end are not lost")
  func restarts() async {
    let worker = SerialWorker(name: "test-serial")
    for round in 0..<200 {
      let (done, signal) = AsyncStream.makeStream(of: Int.self)
      worker.submit {
        signal.yield(round)
        signal.finish()
      }
      var seen: [Int] = []
      for await number in done { seen.append(number) }
      #expect(seen == [round])
    }
  }

  @Test("over its bound a job is dropped and its owner told; what runs does not count")
  func bound() async {
    let worker = SerialWorker(name: "test-serial")
    let started = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let ran = Box<[Int]>([])
    worker.submit {
      started.signal()
      gate.wait()
    }
    #expect(await eventually { started.wait(timeout: .now()) == .success })
    #expect(!worker.isIdle)
    for number in 0..<3 { #expect(worker.submit(unlessWaiting: 3) { ran.append(number) }) }
    #expect(!worker.submit(unlessWaiting: 3) { ran.append(3) })
    #expect(worker.submit { ran.append(4) })
    gate.signal()
    #expect(await eventually { ran.value == [0, 1, 2, 4] })
  }
}
