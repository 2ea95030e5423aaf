import BlurtEngine
import BlurtTestSupport
import CX11
import Foundation
import Glibc
import Testing

@testable import BlurtInjection

/// What /proc tells about a program, with real ones.
@Suite("WindowProcess", .timeLimit(.minutes(2)))
struct WindowProcessTests {
  @Test("B-83 a program that holds a pseudo-terminal is a terminal; what runs in it is known by name")
  func holdsTerminal() async throws {
    let program = try await Program.terminal(running: "sleep", "600")
    defer { program.end() }
    let process = WindowProcess(id: program.processID)
    #expect(process.traits(withForeground: true) == ProgramTraits(hasTerminals: true, foregroundProgram: "sleep"))
    #expect(process.traits(withForeground: false) == ProgramTraits(hasTerminals: true))
  }

  @Test("C-65 a program with its packed code beside it is made of Electron")
  func electron() async throws {
    let program = try Program([
      "sh", "-c", "mkdir {}/resources && touch {}/resources/app.asar && cp /bin/sleep {}/acme && exec {}/acme 600",
    ])
    defer { program.end() }
    try await eventually(within: .seconds(30), "it runs") { WindowProcess(id: program.processID).name == "acme" }
    #expect(WindowProcess(id: program.processID).traits(withForeground: true) == ProgramTraits(isElectron: true))
  }

  @Test(
    "a process that is gone, that is not known, or that is the kernel's tells nothing",
    arguments: [0, -1, 2, Int32.max])
  func unknown(_ id: Int32) {
    #expect(WindowProcess(id: id).traits(withForeground: true) == ProgramTraits())
  }
}

extension X11Suites {
  /// The rule for a window by what its program is.
  @Suite("programs")
  struct ProgramTests {
    @Test(
      "B-83 B-86 B-87 an unknown class whose program shows a terminal: Shift+Insert, one line; the user's rule for what runs there"
    )
    func unknownClass() async throws {
      let program = try await Program.terminal(running: "cat")
      let probe = try await ProbeWindow(windowClass: "Acme", processID: program.processID).shown()
      let peeker = try Peeker()
      defer {
        program.end()
        quit(probe, peeker)
      }
      let chords = Box<[String: String]>([:])
      var rig = InjectorRig()
      rig.rules = { WindowClassRules(chords: chords.value) }
      try await rig.use { injector in
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("ls\nrm x\n", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["ls rm x "] }
        #expect(probe.strokes == [ProbeWindow.Key(name: "Insert", modifiers: UInt32(ShiftMask), isPress: true)])
        probe.forget()
        chords.update { $0 = ["cat": "never"] }
        await #expect(throws: BlurtError.noEditableTarget) {
          try await injector.insert("words", after: nil, windowTitle: nil)
        }
        #expect(await peeker.text() == "words")
        #expect(probe.keys.isEmpty)
      }
    }

    @Test("B-83 the process of a window of another machine is not looked for here")
    func elsewhere() async throws {
      let program = try await Program.terminal(running: "cat")
      let probe = try await ProbeWindow(windowClass: "Acme", processID: program.processID).shown()
      defer {
        program.end()
        probe.quit()
      }
      await probe.run {
        probe.setBytes(probe.window, probe.atom("WM_CLIENT_MACHINE"), Atom(XA_STRING), Array("elsewhere.example".utf8))
      }
      try await InjectorRig().use { injector in
        injector.setTarget(await injector.focus.frontmost())
        try await injector.insert("words", after: nil, windowTitle: nil)
        try await eventually("the text arrives") { probe.pasted == ["words"] }
      }
      #expect(probe.strokes.map(\.name) == ["v"])
    }
  }
}

extension Program {
  /// A program that shows a terminal in which another one runs, which ends with it.
  fileprivate static func terminal(running command: String...) async throws -> Program {
    let program = try Program(
      [
        "/usr/bin/python3", "-c",
        """
        import os, pty, signal, sys, time
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        pid, master = pty.fork()
        if pid == 0:
            # What the tests learn of our end by must not live on in it.
            os.closerange(3, 256)
            os.execvp(sys.argv[1], sys.argv[1:])
        while open(f"/proc/{pid}/comm").read().strip() != sys.argv[1]:
            time.sleep(0.01)
        print("ready", flush=True)
        time.sleep(600)
        """,
      ] + command)
    do {
      try await eventually(within: .seconds(30), "the terminal runs") { program.text(of: "log") == "ready\n" }
    } catch {
      program.end()
      throw error
    }
    return program
  }
}
