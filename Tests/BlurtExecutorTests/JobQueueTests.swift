import Testing

@testable import BlurtExecutor

@Suite struct JobQueueTests {
  private typealias Queue = JobQueue<Int>

  private static func drain(_ queue: inout Queue) -> [Int] {
    var taken: [Int] = []
    while let job = queue.removeFirst() { taken.append(job) }
    return taken
  }

  @Test("jobs of one urgency are taken in the order in which they came, however many wait")
  func order() {
    var queue = Queue()
    for number in 0..<1_000 { queue.append(number, .ordinary) }
    #expect(queue.count == 1_000)
    #expect(Self.drain(&queue) == Array(0..<1_000))
    #expect(queue.count == 0)
  }

  @Test("the order stays while jobs come and go, also when the room has to grow in the middle of it")
  func interleaved() {
    var queue = Queue()
    var next = 0
    var expected = 0
    for round in 0..<400 {
      for _ in 0..<(round % 7 + 1) {
        queue.append(next, .ordinary)
        next += 1
      }
      for _ in 0..<(round % 5) {
        #expect(queue.removeFirst() == expected)
        expected += 1
      }
    }
    #expect(Self.drain(&queue) == Array(expected..<next))
  }

  @Test("urgent jobs overtake the others")
  func urgency() {
    var queue = Queue()
    queue.append(3, .low)
    queue.append(2, .ordinary)
    queue.append(1, .high)
    queue.append(4, .low)
    #expect(Self.drain(&queue) == [1, 2, 3, 4])
  }

  @Test("a job of low urgency has its turn although urgent ones never end")
  func noStarving() {
    var queue = Queue()
    queue.append(-1, .low)
    queue.append(-2, .ordinary)
    var taken: [Int] = []
    for number in 0..<(3 * Queue.turnsOfTheUrgent) {
      queue.append(number, .high)
      if let job = queue.removeFirst() { taken.append(job) }
    }
    #expect(taken.firstIndex(of: -1) == Queue.turnsOfTheUrgent - 1)
    #expect(taken.firstIndex(of: -2) == 2 * Queue.turnsOfTheUrgent - 1)
  }

  @Test(
    "Swift's priorities come to three urgencies; none at all is an ordinary one",
    arguments: [
      (TaskPriority.high.rawValue, Queue.Urgency.high), (0x21, .high), (TaskPriority.medium.rawValue, .ordinary),
      (0, .ordinary), (TaskPriority.utility.rawValue, .low), (TaskPriority.background.rawValue, .low),
    ] as [(UInt8, JobQueue<Int>.Urgency)])
  func priorities(priority: UInt8, urgency: JobQueue<Int>.Urgency) {
    #expect(JobQueue<Int>.Urgency(priority) == urgency)
  }
}
