internal import CSwiftRuntime

/// A job of Swift's runtime on its way to the thread that runs it.
///
/// `@unchecked Sendable`: the runtime gives each job to the executor once, and the executor runs it once; nobody else
/// looks at it in between.
struct JobHandle: @unchecked Sendable {
  private let job: UnsafeMutableRawPointer

  init(_ job: UnsafeMutableRawPointer) { self.job = job }

  var urgency: JobQueue<JobHandle>.Urgency {
    // UnownedJob is a frozen struct of this one pointer.
    JobQueue.Urgency(unsafeBitCast(job, to: UnownedJob.self).priority.rawValue)
  }

  /// Runs it to its next suspension, on the calling thread.
  func run() { blurt_swift_run(job) }
}
