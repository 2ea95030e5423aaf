internal import CMoonshine
internal import Glibc

/// How the engine's process is kept from the network.
package enum OfflineSandbox: String, Sendable, Hashable, Codable, CaseIterable {
  /// A system call filter: no socket, no other program, no file opened for writing, none removed or renamed.
  case seccomp
  /// A network namespace of its own with nothing in it; the rest is open.
  case namespace
  /// The kernel allows neither.
  case none

  /// Locks the process in, by the first means the kernel allows, and keeps its memory from other processes.
  ///
  /// Call it while the process has one thread, before foreign code is loaded. What is open stays usable.
  package static func enter() -> OfflineSandbox {
    let forbidden = blurt_offline_forbid_new_privileges() == 0
    defer { _ = blurt_offline_forbid_dumps() }
    if forbidden, install(filter()) { return .seccomp }
    return blurt_offline_leave_network() == 0 ? .namespace : .none
  }

  /// Whether the network is out of reach, found out by trying.
  package static var networkIsRefused: Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    // The discard port of this machine: unreachable in an empty network, refused or accepted in a real one.
    address.sin_port = UInt16(9).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return result == -1 && errno == ENETUNREACH
  }

  /// From now on this process opens no file at all, where the kernel has such filters. What is open stays usable.
  package static func refuseFiles() {
    let calls = [Int(blurt_offline_openat), Int(blurt_offline_open)].filter { $0 >= 0 }
    let refusals = calls.flatMap { [jump(BPF_JEQ, UInt32($0), ifTrue: 0, ifFalse: 1), refuse] }
    _ = install(
      [
        load(architecture), jump(BPF_JEQ, blurt_offline_audit_architecture(), ifTrue: 1, ifFalse: 0), refuse,
        load(number),
      ] + refusals + [allow])
  }

  private static func install(_ filter: [sock_filter]) -> Bool {
    guard blurt_offline_audit_architecture() != 0 else { return false }
    var instructions = filter
    return instructions.withUnsafeMutableBufferPointer { buffer in
      var program = sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
      return blurt_offline_install_filter(&program) == 0
    }
  }

  // Offsets in struct seccomp_data: call number 0, architecture 4, arguments from 16, 8 bytes each, low half first.
  private static let number: UInt32 = 0
  private static let architecture: UInt32 = 4
  private static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }

  private static func load(_ offset: UInt32) -> sock_filter {
    sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
  }

  private static func jump(_ test: Int32, _ value: UInt32, ifTrue: UInt8, ifFalse: UInt8) -> sock_filter {
    sock_filter(code: UInt16(BPF_JMP | test | BPF_K), jt: ifTrue, jf: ifFalse, k: value)
  }

  private static func end(_ result: Int) -> sock_filter {
    sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: UInt32(truncatingIfNeeded: result))
  }

  private static var refuse: sock_filter { end(Int(blurt_offline_filter_refuse)) }
  private static var allow: sock_filter { end(Int(blurt_offline_filter_allow)) }

  /// The filter: a refused call fails with EPERM, which every library must cope with; nothing is killed.
  private static func filter() -> [sock_filter] {
    var filter = [
      load(architecture),
      jump(BPF_JEQ, blurt_offline_audit_architecture(), ifTrue: 1, ifFalse: 0),
      refuse,
      load(number),
    ]
    let foreign = blurt_offline_foreign_call_bit()
    if foreign != 0 { filter += [jump(BPF_JSET, foreign, ifTrue: 0, ifFalse: 1), refuse] }
    for index in 0..<blurt_offline_refused_call_count() {
      filter += [jump(BPF_JEQ, UInt32(blurt_offline_refused_call(index)), ifTrue: 0, ifFalse: 1), refuse]
    }
    for (call, flags) in [(Int(blurt_offline_openat), argument(2)), (Int(blurt_offline_open), argument(1))]
    where call >= 0 {
      filter += [
        jump(BPF_JEQ, UInt32(call), ifTrue: 0, ifFalse: 4),
        load(flags),
        jump(BPF_JSET, UInt32(blurt_offline_writing_flags), ifTrue: 0, ifFalse: 1),
        refuse,
        allow,
      ]
    }
    return filter + [allow]
  }
}
