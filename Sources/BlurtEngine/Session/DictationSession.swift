internal import Synchronization

/// Turns a held key into text: brings the microphone up, has the sound transcribed while it is spoken, pastes the words.
///
/// Commands go through one unbounded queue with one consumer, in the order of their submission; each finishes before the
/// next starts (S-29, S-30). Two things do not wait for their turn. A cancel takes effect inside `submit`: the phase is
/// `cancelled` and every task of the dictation is cancelled before the call returns; its turn then closes the microphone.
/// A press that finds a terminal phase and no press before it is accepted or refused inside `submit`; its turn then
/// brings the microphone up. Its answer goes out before anything else is woken.
public actor DictationSession {
  /// How long an upload waits for the focused field before it opens without it (S-58).
  public static let contextWaitBudget: Duration = .milliseconds(500)

  /// What every thread may touch, under one lock.
  private struct Shared {
    var ledger = SessionLedger()
    /// The tasks of the last accepted press.
    var tasks: DictationTasks?
    var observers: [PhaseObserver] = []
    var consumer: Task<Void, Never>?
    /// What the queue and the observers are still to be told, in the order of the ledger.
    var news: [SessionNews] = []
    /// A thread is telling it.
    var isTelling = false

    /// Notes what has changed. Returns it, for the tasks, which must not be cancelled under the lock, and whether the
    /// caller is to tell the news.
    mutating func takeChanges() -> (changes: [PhaseChange], mustTell: Bool) {
      let changes = ledger.takeChanges()
      for change in changes { news.append(.phase(change)) }
      return (changes, !news.isEmpty && !isTelling)
    }

    /// The news, for one thread at a time; nil where another tells them, or there are none.
    mutating func beginTelling() -> (news: [SessionNews], observers: [PhaseObserver])? {
      guard !isTelling, !news.isEmpty else { return nil }
      isTelling = true
      return (takeNews(), observers)
    }

    /// What has come meanwhile; with nothing the telling is over.
    mutating func goOnTelling(_ observers: [PhaseObserver]) -> [SessionNews] {
      self.observers = observers
      isTelling = !news.isEmpty
      return takeNews()
    }

    private mutating func takeNews() -> [SessionNews] {
      if news.isEmpty { return [] }
      defer { news = [] }
      return news
    }
  }

  private let dependencies: Dependencies
  private let shared = Mutex(Shared())
  /// Unbounded: a key's edges are few and must not be lost (S-30).
  private let feed: AsyncStream<CommandTicket>.Continuation
  private var recent = RecentDictations()
  /// The dictation of the last accepted press.
  private var current: Dictation?
  /// The dictation whose capture is to be stopped or cancelled.
  private var openCapture: Dictation?

  public init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
    let (tickets, feed) = AsyncStream.makeStream(of: CommandTicket.self, bufferingPolicy: .unbounded)
    self.feed = feed
    // Weakly: the consumer must not keep the session alive (S-31). What is queued when it goes had nothing to act on.
    let consumer = Task.detached { [weak self] in
      for await ticket in tickets {
        if let session = self { await session.execute(ticket) } else { ticket.finish() }
      }
    }
    shared.withLock { $0.consumer = consumer }
  }

  deinit {
    feed.finish()
    let (observers, tasks) = shared.withLock { ($0.observers, $0.tasks) }
    for observer in observers { observer.finish() }
    tasks?.revoke(DictationTasks.Kind.allCases)
    if let openCapture {
      // Nobody is left to release it: the microphone must not stay open, and the words are kept.
      Task.detached { [microphone = dependencies.microphone] in
        try? await microphone.cancelCapture()
        _ = openCapture.close(.recoveryCancelled)
      }
    }
  }

  // MARK: Commands

  /// Queues a command and returns its number at once; for a press it is the number of the dictation.
  ///
  /// Callable from any thread. `decided` is called exactly once, as soon as it is known what became of the command:
  /// possibly before this returns, on this thread or another. It must not block.
  ///
  /// With a target, a release, cancel or recovery cancel acts on the dictation of that number or on none: one that was
  /// meant for a dictation which has ended meanwhile cannot end the next.
  @discardableResult
  public nonisolated func submit(
    _ command: SessionCommand, target: UInt64? = nil, decided: (@Sendable (CommandDecision) -> Void)? = nil
  ) -> UInt64 {
    guard let decided else { return enqueue(command, target: target) }
    return enqueue(command, target: target, decided: { decision, _ in decided(decision) })
  }

  /// The same for who must know, when it is decided, which command it was: `settled` gets its number as well.
  @discardableResult
  public nonisolated func submit(
    _ command: SessionCommand, target: UInt64? = nil,
    settled: @escaping @Sendable (CommandDecision, _ number: UInt64) -> Void
  ) -> UInt64 {
    enqueue(command, target: target, decided: settled)
  }

  /// Presses, and returns once the microphone is live or the press has ended otherwise.
  @discardableResult
  public nonisolated func press(key: Int? = nil, field: FocusedFieldContext? = nil) async -> CommandDecision {
    await run(.press(key: key, field: field))
  }

  /// Releases, and returns once the microphone is closed. The text follows; the phase tells.
  @discardableResult
  public nonisolated func release() async -> CommandDecision { await run(.release) }

  /// Cancels, and returns once nothing is open any more.
  @discardableResult
  public nonisolated func cancel() async -> CommandDecision { await run(.cancel) }

  /// Recovers from a fault of the plumbing: ends a live capture, keeps its recording, touches nothing else (S-28).
  @discardableResult
  public nonisolated func cancelRecording() async -> CommandDecision { await run(.cancelRecording) }

  // MARK: Observation

  /// Where the dictation stands.
  public var phase: PipelinePhase { phaseChange.phase }

  /// The phase and the press it belongs to, readable from any thread.
  public nonisolated var phaseChange: PhaseChange {
    shared.withLock { PhaseChange(phase: $0.ledger.phase, dictation: $0.ledger.dictation) }
  }

  /// What was dictated lately, newest first (S-93).
  public var recentDictations: [RecentDictation] { recent.entries }

  /// Forgets what was dictated, so that neither a list nor a later request has it.
  public func forgetRecent() { recent.removeAll() }

  /// Remembers words that no dictation of this session has said: those of a recording that was sent again (S-74).
  public func remember(shownText: String, spokenText: String) {
    recent.record(shownText: shownText, spokenText: spokenText, style: nil, at: dependencies.now())
  }

  /// The present phase, then each transition, in order and without a gap (S-79).
  ///
  /// Each call makes an observer of its own. Unbounded: whoever reads slowly has to drop levels, never phases (S-149).
  /// Ends with the session.
  public nonisolated func phaseStream() -> AsyncStream<PhaseChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: PhaseChange.self, bufferingPolicy: .unbounded)
    let observer = PhaseObserver(continuation)
    shared.withLock { shared in
      // What happened before is not for this observer: it starts with the phase of now.
      let present = PhaseChange(phase: shared.ledger.phase, dictation: shared.ledger.dictation)
      shared.news.append(.observer(observer, present: present))
    }
    tellNews()
    return stream
  }

  /// Whether a timer will end the recording by itself (S-68).
  var isAutoReleaseArmed: Bool { current?.tasks.holds(.autoRelease) ?? false }

  /// What is known of the live dictation's field; nil without one.
  var knownField: FocusReading.Answer<FocusedFieldContext>? { current?.focus.field }

  /// The request of the live dictation.
  var upload: Task<Transcript, any Error>? { current?.upload }

  /// Cancels and forgets the request of the live dictation (S-66).
  func abandonUpload() { current?.abandonUpload() }

  // MARK: The queue

  private nonisolated func run(_ command: SessionCommand) async -> CommandDecision {
    await withCheckedContinuation { continuation in
      enqueue(command, finished: { continuation.resume(returning: $0) })
    }
  }

  @discardableResult
  private nonisolated func enqueue(
    _ command: SessionCommand, target: UInt64? = nil, decided: CommandTicket.Decided? = nil,
    finished: (@Sendable (CommandDecision) -> Void)? = nil
  ) -> UInt64 {
    // Asked outside the lock: the answer is dropped if another thread's command is quicker.
    let isAsked = if case .press = command { shared.withLock { $0.ledger.isOpenToPress } } else { false }
    let blocker = isAsked ? dependencies.readinessCheck() : nil
    // Numbered and given its place in the queue in one step, so that both orders are the same.
    let (ticket, news, live) = shared.withLock { shared in
      let (number, arrival) =
        isAsked && shared.ledger.isOpenToPress
        ? shared.ledger.arrivePress(blocker: blocker) : shared.ledger.arrive(command, target: target)
      let tasks = arrival == .started ? DictationTasks(number: number) : nil
      let ticket = CommandTicket(
        number: number, command: command, target: target, arrival: arrival, tasks: tasks, decided: decided,
        finished: finished)
      if let tasks { shared.tasks = tasks }
      switch arrival {
      case .queued, .cancelled, .started: shared.news.append(.command(ticket))
      case .refused, .busy, .nothing: break
      }
      return (ticket, shared.takeChanges(), shared.tasks)
    }
    settle(news.changes, live)
    switch ticket.arrival {
    case .queued: tellNews()
    case .cancelled:
      tellNews()
      ticket.decide(.done)
    case .started:
      ticket.decide(.started)
      tellNews()
    case .refused(let blocker):
      report(blocker, ticket.number, context: nil)
      ticket.decide(.refused(blocker))
      tellNews()
      ticket.finish()
    case .busy:
      ticket.decide(.busy)
      ticket.finish()
    case .nothing: ticket.finish()
    }
    return ticket.number
  }

  /// Queues the commands and tells the observers what has changed, both in the order of the ledger, whichever threads come:
  /// one tells, and whoever comes meanwhile leaves its news to that one. Nothing is woken under the lock, on which the
  /// next command waits for its answer.
  private nonisolated func tellNews() {
    guard var (news, observers) = shared.withLock({ $0.beginTelling() }) else { return }
    while !news.isEmpty {
      observers.removeAll(where: \.hasEnded)
      for item in news {
        switch item {
        case .command(let ticket): feed.yield(ticket)
        case .phase(let change): for observer in observers { observer.tell(change) }
        case .observer(let observer, let present):
          observer.tell(present)
          observers.append(observer)
        }
      }
      news = shared.withLock { $0.goOnTelling(observers) }
    }
  }

  private func execute(_ ticket: CommandTicket) async {
    switch ticket.command {
    case .press(let key, let field): await performPress(ticket, key: key, field: field)
    case .release: await performRelease(ticket)
    case .cancel: await performCancel(ticket)
    case .cancelRecording: await performCancelRecording(ticket)
    }
    apply { $0.finish(ticket.number) }
    ticket.finish()
  }

  /// Asks or changes the ledger, and carries out what a changed phase entails.
  @discardableResult
  private nonisolated func apply<Result: Sendable>(
    claiming tasks: DictationTasks? = nil, _ decide: (inout SessionLedger) -> Result
  ) -> Result {
    let (result, news, live) = shared.withLock { shared in
      if let tasks { shared.tasks = tasks }
      let result = decide(&shared.ledger)
      return (result, shared.takeChanges(), shared.tasks)
    }
    settle(news.changes, live)
    if news.mustTell { tellNews() }
    return result
  }

  private nonisolated func settle(_ changes: [PhaseChange], _ tasks: DictationTasks?) {
    guard let tasks else { return }
    for change in changes where change.dictation == tasks.number { tasks.settle(change.phase) }
  }

  // MARK: Press (S-49…S-57)

  private func performPress(_ ticket: CommandTicket, key: Int?, field: FocusedFieldContext?) async {
    let number = ticket.number
    let tasks: DictationTasks
    if let accepted = ticket.tasks {
      tasks = accepted
    } else {
      guard openCapture == nil, apply({ $0.phase.isTerminal }) else { return ticket.decide(.busy) }
      if let blocker = dependencies.readinessCheck() {
        report(blocker, number, context: nil)
        apply { $0.refuse(number, blocker) }
        return ticket.decide(.refused(blocker))
      }
      tasks = DictationTasks(number: number)
      apply(claiming: tasks) { $0.claim(number) }
      ticket.decide(.started)
    }
    guard apply({ $0.stands(number, in: .connecting) }) else { return dependencies.onEnd(number, .cancelledByUser) }

    let recording = dependencies.recordings?.begin(dictation: number)
    let start = Task.detached { [microphone = dependencies.microphone] in
      try await microphone.start(keepingIn: recording)
    }
    tasks.attach(.bringUp) { start.cancel() }
    let warmUp = Task.detached { [transcriber = dependencies.transcriber] in await transcriber.warmUp() }
    tasks.attach(.warmUp) { warmUp.cancel() }
    let dictation = Dictation(
      tasks: tasks, recording: recording, style: dependencies.style(key), keyTerms: dependencies.keyTerms(),
      history: recent.spokenTexts, engine: dependencies.engine())
    current = dictation
    readFocus(for: dictation, givenField: field)

    let started = await start.result
    tasks.detach(.bringUp)
    switch started {
    case .success(let feed):
      openCapture = dictation
      guard apply({ $0.advance(number, from: .connecting, to: .recording) }) else {
        return await discardCapture(of: dictation)
      }
      openUpload(of: dictation, feed)
      armAutoRelease(of: dictation)
    case .failure(let error):
      // Nothing is open (C-10); a cancel still sees to it (S-55).
      guard apply({ $0.stands(number, in: .connecting) }) else { return await discardCapture(of: dictation) }
      if error is CancellationError {
        end(dictation, from: .connecting, as: .cancelled, .cancelledByUser)
      } else {
        let failure = BlurtError.capture(error)
        end(dictation, from: .connecting, as: .failed(failure), .failed(failure))
      }
    }
  }

  /// Asks the host what has the focus, on a worker of its own: either answer may never come (S-54). A field that came with
  /// the press is not asked for (C-96).
  private func readFocus(for dictation: Dictation, givenField: FocusedFieldContext?) {
    if let givenField { dictation.focus.publish(field: givenField.bounded) }
    let worker = Task.detached { [focus = dependencies.focus, weak self] in
      let target = await focus.frontmost()
      await self?.adopt(target, for: dictation)
      if givenField == nil { dictation.focus.publish(field: await focus.fieldContext(target)) }
    }
    dictation.tasks.attach(.focus) { worker.cancel() }
  }

  /// Gives the injector its target, unless a later press has the say by now.
  private func adopt(_ target: CapturedFocus?, for dictation: Dictation) {
    guard current === dictation else { return }
    dependencies.injector.setTarget(target)
    dictation.focus.publish(target: target)
    dictation.note(engine: dictation.engine)
  }

  /// Starts the one request of a dictation. Frames wait in the feed until it opens (S-58).
  private func openUpload(of dictation: Dictation, _ feed: AudioFeed) {
    let upload = Task.detached { [transcriber = dependencies.transcriber, clock = dependencies.clock] in
      await dictation.focus.waitForField(atMost: Self.contextWaitBudget, on: clock)
      try Task.checkCancellation()
      let context = dictation.context
      return try await transcriber.transcribe(
        feed, sampleRate: SyncSTTLimits.sampleRate, context: context.isEmpty ? nil : context)
    }
    dictation.open(upload)
  }

  /// S-68: a key that is held for too long still yields its text.
  private func armAutoRelease(of dictation: Dictation) {
    let number = dictation.number
    let timer = Task.detached { [clock = dependencies.clock, weak self] in
      do { try await clock.sleep(for: SyncSTTLimits.autoReleaseAfter) } catch { return }
      self?.autoRelease(number)
    }
    dictation.tasks.attach(.autoRelease) { timer.cancel() }
  }

  /// A normal release that can end no other dictation, should the timer fire at the moment it is cancelled.
  nonisolated func autoRelease(_ dictation: UInt64) { enqueue(.release, target: dictation) }

  // MARK: Release (S-62…S-67)

  private func performRelease(_ ticket: CommandTicket) async {
    guard let dictation = openCapture, ticket.target == nil || ticket.target == dictation.number,
      apply({ $0.stands(dictation.number, in: .recording) })
    else { return ticket.decide(.ignored) }
    dictation.tasks.revoke([.autoRelease])
    guard apply({ $0.advance(dictation.number, from: .recording, to: .transcribing) }) else {
      return ticket.decide(.ignored)
    }
    ticket.decide(.done)
    dependencies.injector.expectInsert(true)

    let stopped = await stopCapture()
    openCapture = nil
    switch stopped {
    case .failure(let error):
      let failure = BlurtError.capture(error)
      end(dictation, from: .transcribing, as: .failed(failure), .failed(failure))
    case .success(let byteCount) where byteCount < SyncSTTLimits.minimumByteCount:
      end(dictation, from: .transcribing, as: .idle, .belowFloor)
    case .success:
      guard let upload = dictation.upload else {
        return end(
          dictation, from: .transcribing, as: .failed(.uploadNeverStarted), .failed(.uploadNeverStarted))
      }
      let pipeline = Task { await deliver(dictation, upload) }
      dictation.tasks.attach(.pipeline) { pipeline.cancel() }
    }
  }

  // MARK: Cancel (S-36…S-48)

  /// The phase and the tasks were dealt with on arrival; what is left is the microphone and the recording.
  private func performCancel(_ ticket: CommandTicket) async {
    guard ticket.arrival == .cancelled || apply({ $0.honoured(ticket.number) }) else { return ticket.decide(.ignored) }
    ticket.decide(.done)
    guard let dictation = current, ticket.target == nil || ticket.target == dictation.number else { return }
    // S-38: whoever submitted the cancel may not have got so far.
    dictation.upload?.cancel()
    if openCapture === dictation { await discardCapture(of: dictation) } else { close(dictation, .cancelledByUser) }
  }

  private func performCancelRecording(_ ticket: CommandTicket) async {
    guard let dictation = openCapture, ticket.target == nil || ticket.target == dictation.number,
      apply({ $0.advance(dictation.number, from: .recording, to: .cancelled) })
    else { return ticket.decide(.ignored) }
    ticket.decide(.done)
    await discardCapture(of: dictation, .recoveryCancelled)
  }

  /// Discards a capture whose dictation was cancelled. A fault goes to the log, not to the user (S-44).
  private func discardCapture(of dictation: Dictation, _ fate: RecordingFate = .cancelledByUser) async {
    let fault = await cancelCapture()
    openCapture = nil
    if let fault, !(fault is CancellationError) {
      report(BlurtError.capture(fault), dictation.number, context: dictation.context)
    }
    close(dictation, fate)
  }

  // MARK: After the response (S-70…S-78)

  private func deliver(_ dictation: Dictation, _ upload: Task<Transcript, any Error>) async {
    defer { dictation.tasks.detach(.pipeline) }
    let answer = await upload.result
    dictation.forgetUpload()
    let transcript: Transcript
    do { transcript = try answer.get() } catch { return transcriptionEnded(dictation, with: error) }
    guard apply({ $0.stands(dictation.number, in: .transcribing) }) else { return close(dictation, .cancelledByUser) }

    let text = dependencies.expandShortcuts(transcript.text)
    let trimmed = text.trimmingWhitespace()
    guard !trimmed.isEmpty else { return end(dictation, from: .transcribing, as: .idle, .blank) }
    guard apply({ $0.stands(dictation.number, in: .transcribing) }) else { return close(dictation, .cancelledByUser) }
    dictation.note(engine: transcript.engine)

    let context = dictation.context
    let now = dependencies.now()
    dependencies.onDictationLogged?(
      DictationLogEntry(dictation: dictation.number, transcript: transcript, context: context, at: now))
    if dictation.mayBeRemembered {
      recent.record(shownText: text, spokenText: transcript.text, style: dictation.style?.name, at: now)
    }
    dependencies.onDelivery(
      Delivery(
        dictation: dictation.number, text: trimmed, engine: transcript.engine, fellBackFrom: transcript.fellBackFrom,
        recent: recent.entries))

    guard apply({ $0.advance(dictation.number, from: .transcribing, to: .injecting) }) else {
      return close(dictation, .cancelledByUser)
    }
    if dictation.focus.target == .outstanding { dependencies.injector.setTarget(nil) }
    let fault = await insert(text, after: context.priorText, windowTitle: context.windowTitle)
    let outcome = PipelinePhase(afterInsert: fault)
    let fate =
      outcome.error.map { RecordingFate.failed($0) }
      ?? .delivered(transcript.engine, fellBackFrom: transcript.fellBackFrom)
    end(dictation, from: .injecting, as: outcome, fate)
  }

  private func transcriptionEnded(_ dictation: Dictation, with error: any Error) {
    if error is ClipBelowFloor { return end(dictation, from: .transcribing, as: .idle, .belowFloor) }
    let failure = BlurtError.transcription(error)
    end(dictation, from: .transcribing, as: .failed(failure), .failed(failure))
  }

  // MARK: Ends

  /// Ends a dictation, unless a cancel has ended it first: then the recording goes the cancel's way (S-45, S-46).
  ///
  /// The recording is closed and the failure told before the phase is seen: whoever sees `failed` finds the one ready for a
  /// retry and the other in the log.
  private func end(_ dictation: Dictation, from: PipelinePhase, as end: PipelinePhase, _ fate: RecordingFate) {
    guard apply({ $0.seal(dictation.number, from: from) }) else { return close(dictation, .cancelledByUser) }
    close(dictation, fate)
    if let error = end.error { report(error, dictation.number, context: dictation.context) }
    apply { $0.conclude(dictation.number, as: end) }
  }

  /// Closes the recording and forgets what was read from the screen.
  private func close(_ dictation: Dictation, _ fate: RecordingFate) {
    if dictation.close(fate) {
      dependencies.injector.expectInsert(false)
      dependencies.onEnd(dictation.number, fate)
    }
    if current === dictation { current = nil }
  }

  /// The single call of the failure log (S-12).
  private nonisolated func report(_ error: BlurtError, _ dictation: UInt64, context: TranscriptionContext?) {
    dependencies.onFailure(
      DictationFailure(error: error, dictation: dictation, context: context, at: dependencies.now()))
  }

  // MARK: Seams, called off the actor: an adapter that takes its time must not hold up a command

  @concurrent
  private nonisolated func stopCapture() async -> Result<Int, any Error> {
    do { return .success(try await dependencies.microphone.stop()) } catch { return .failure(error) }
  }

  @concurrent
  private nonisolated func cancelCapture() async -> (any Error)? {
    do { try await dependencies.microphone.cancelCapture() } catch { return error }
    return nil
  }

  @concurrent
  private nonisolated func insert(_ text: String, after prior: String?, windowTitle: String?) async -> (any Error)? {
    do { try await dependencies.injector.insert(text, after: prior, windowTitle: windowTitle) } catch { return error }
    return nil
  }
}
