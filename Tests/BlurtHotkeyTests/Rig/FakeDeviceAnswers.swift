import CUmockdev
import Glibc

/// How a fake device answers reads and ioctls: what umockdev asks for on the rig's thread.
final class FakeDeviceAnswers: Sendable {
  struct State {
    var down: Set<Int>
    var isGone = false
    /// Bytes that were read so far.
    var readCount = 0
    var writtenCount = 0
    var requests: [UInt] = []
    var masks: [UInt32: [UInt8]] = [:]
  }

  let description: FakeDevice.Description
  let state: Locked<State>

  init(_ description: FakeDevice.Description) {
    self.description = description
    state = Locked(State(down: description.held))
  }

  typealias Callback =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> gboolean

  static let onIoctl: Callback = { _, client, context in
    guard let client, let device = device(context) else { return 0 }
    device.answer(UnsafeMutablePointer<UMockdevIoctlClient>(client))
    return 1
  }

  static let onRead: Callback = { _, client, context in
    guard let client, let device = device(context) else { return 0 }
    device.read(UnsafeMutablePointer<UMockdevIoctlClient>(client))
    return 1
  }

  private static func device(_ context: UnsafeMutableRawPointer?) -> FakeDeviceAnswers? {
    context.map { Unmanaged<FakeDeviceAnswers>.fromOpaque($0).takeUnretainedValue() }
  }

  private func read(_ client: UnsafeMutablePointer<UMockdevIoctlClient>) {
    if state.withLock({ $0.isGone }) {
      umockdev_ioctl_client_complete(client, -1, ENODEV)
      return
    }
    var code: Int32 = 0
    var error: UnsafeMutablePointer<GError>?
    let result = umockdev_ioctl_client_execute(client, &code, &error)
    state.withLock { $0.readCount += max(0, Int(result)) }
    umockdev_ioctl_client_complete(client, glong(result), code)
  }

  private func answer(_ client: UnsafeMutablePointer<UMockdevIoctlClient>) {
    let request = UInt(umockdev_ioctl_client_get_request(client)) & 0xffff_ffff
    let number = request & 0xff
    let size = Int(request >> 16 & 0x3fff)
    let (isGone, down) = state.withLock { state in
      state.requests.append(number)
      return (state.isGone, state.down)
    }
    func fail(_ code: Int32) { umockdev_ioctl_client_complete(client, -1, code) }
    func bits(_ codes: some Sequence<Int>) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: size)
      for code in codes where code / 8 < size { bytes[code / 8] |= 1 << UInt8(code % 8) }
      return bytes
    }
    func give(_ bytes: [UInt8], result: Int = 0) {
      var bytes = bytes
      var error: UnsafeMutablePointer<GError>?
      guard let data = umockdev_ioctl_data_resolve(umockdev_ioctl_client_get_arg(client), 0, gsize(size), &error) else {
        return fail(EFAULT)
      }
      umockdev_ioctl_data_update(data, 0, &bytes, Int32(min(bytes.count, size)))
      umockdev_ioctl_data_unref(data)
      umockdev_ioctl_client_complete(client, glong(result), 0)
    }
    func text(_ string: String) {
      if string.isEmpty { return fail(ENOENT) }
      let bytes = Array((string + "\0").utf8)
      give(bytes, result: bytes.count)
    }

    if isGone { return fail(ENODEV) }
    switch number {
    case 0x01: give([1, 0, 1, 0])
    case 0x02: give([3, 0, 0x34, 0x12, 0x78, 0x56, 0x10, 1])
    case 0x03: give([250, 0, 0, 0, 33, 0, 0, 0])
    case 0x06: text(description.name)
    case 0x07: text(description.physicalPath)
    case 0x08: fail(ENOENT)
    case 0x18: give(bits(down), result: size)
    case 0x09, 0x19, 0x1b: give(bits([]), result: size)
    case 0x20: give(bits([0, 1, 4, 17, 20]), result: size)
    case 0x21: give(bits(description.keys), result: size)
    case 0x22..<0x40: give(bits([]), result: size)
    case 0x93: description.hasMasks ? takeMask(client) : fail(EINVAL)
    case 0xa0: description.hasClock ? umockdev_ioctl_client_complete(client, 0, 0) : fail(ENOENT)
    default: fail(EINVAL)
    }
  }

  /// EVIOCSMASK: type, size and address of the bits.
  private func takeMask(_ client: UnsafeMutablePointer<UMockdevIoctlClient>) {
    var error: UnsafeMutablePointer<GError>?
    guard let mask = umockdev_ioctl_data_resolve(umockdev_ioctl_client_get_arg(client), 0, 16, &error) else {
      umockdev_ioctl_client_complete(client, -1, EFAULT)
      return
    }
    defer { umockdev_ioctl_data_unref(mask) }
    let header = UnsafeRawPointer(mask.pointee.data)
    let type = header?.loadUnaligned(as: UInt32.self) ?? 0
    let size = header?.loadUnaligned(fromByteOffset: 4, as: UInt32.self) ?? 0
    // As the kernel does.
    guard size % 8 == 0 else {
      umockdev_ioctl_client_complete(client, -1, EINVAL)
      return
    }
    guard let codes = umockdev_ioctl_data_resolve(mask, 8, gsize(size), &error) else {
      umockdev_ioctl_client_complete(client, -1, EFAULT)
      return
    }
    let bytes = Array(UnsafeRawBufferPointer(start: codes.pointee.data, count: Int(size)))
    umockdev_ioctl_data_unref(codes)
    state.withLock { $0.masks[type] = bytes }
    umockdev_ioctl_client_complete(client, 0, 0)
  }
}
