import BlurtCapture
import BlurtEngine
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Glibc
import Testing

/// One kind of device.
private struct Device: Sendable {
  let format: String
  let rate: Int
  let channelCount: Int
  /// The channel that carries the microphone.
  let microphone: Int
  let period: Int

  static let formats = ["s16", "s24", "s24_3", "s32", "float"]
  static let rates = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000]

  /// Every format with every rate and number of channels; periods and the microphone's place change from one to the next.
  static var all: [Device] {
    let periods = [64, 256, 480, 1_024, 4_096]
    var devices: [Device] = []
    for rate in rates {
      for format in formats {
        for channelCount in [1, 2, 6, 8] {
          let index = devices.count
          devices.append(
            Device(
              format: format, rate: rate, channelCount: channelCount, microphone: index % channelCount,
              period: periods[(index + index / 4) % periods.count]))
        }
      }
    }
    return devices
  }

  /// Speech as the device stores it, one channel.
  func sound(_ speech: [Float]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(4 * speech.count)
    for sample in speech { result += bytes(sample) }
    return result
  }

  private func bytes(_ sample: Float) -> [UInt8] {
    func integer(_ bits: Int, _ count: Int) -> [UInt8] {
      let value = Int64((Double(sample) * Double(1 << (bits - 1))).rounded())
      return (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    }
    switch format {
    case "s16": return integer(16, 2)
    case "s24": return integer(24, 4)
    case "s24_3": return integer(24, 3)
    case "s32": return integer(32, 4)
    default: return (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
    }
  }
}

/// How a recording compares with what the device played.
private struct Likeness: Sendable {
  let device: Device
  /// At the best place within half a millisecond.
  let correlation: Double
  let levelDB: Double
  /// How late the recording is, in samples of 16 kHz.
  let lag: Int
  /// Samples more or fewer than the frames that the device handed over.
  let lengthError: Int
}

@Suite(.enabled(if: ALSARig.isThere, ALSARig.reason), .serialized, .timeLimit(.minutes(5)))
struct FormatTests {
  @Test(
    "C-27 B-102 B-103 speech from 200 kinds of device: length, level and likeness; BLURT_FORMAT_TABLE=FILE writes the table"
  )
  func everyDevice() async throws {
    var found: [Likeness] = []
    // A machine that is slowed down to look for races cannot keep twelve devices in real time, nor wait for all of them.
    let isSlow = getenv("BLURT_TEST_SLOW") != nil
    var rest = (isSlow ? Device.all.enumerated().filter { $0.offset % 41 == 0 }.map(\.element) : Device.all)[...]
    let atOnce = isSlow ? 2 : 12
    try await withThrowingTaskGroup(of: Likeness.self) { group in
      for device in rest.prefix(atOnce) { group.addTask { try await Self.record(device) } }
      rest = rest.dropFirst(atOnce)
      while let one = try await group.next() {
        found.append(one)
        if let device = rest.popFirst() { group.addTask { try await Self.record(device) } }
      }
    }
    for one in found {
      #expect(one.correlation >= 0.99, "\(one)")
      #expect(abs(one.levelDB) <= 0.5, "\(one)")
      #expect(abs(one.lag) <= 2, "\(one)")
      #expect(abs(one.lengthError) <= 1, "\(one)")
    }
    if let path = getenv("BLURT_FORMAT_TABLE").map({ String(cString: $0) }) {
      try Data(Self.table(found).utf8).write(to: URL(filePath: path))
    }
  }

  /// An overrun is the machine's fault and other tests' subject: what was recorded with one is recorded again.
  private static func record(_ device: Device) async throws -> Likeness {
    for _ in 0..<4 {
      let (likeness, hasOverrun) = try await recordOnce(device)
      if !hasOverrun { return likeness }
    }
    return try await recordOnce(device).likeness
  }

  private static func recordOnce(_ device: Device) async throws -> (likeness: Likeness, hasOverrun: Bool) {
    let speech = try ALSARig.sound("speech\(device.rate).f32").prefix(4 * device.rate * 6 / 5)
    let floats = stride(from: speech.startIndex, to: speech.endIndex - 3, by: 4).map { index in
      Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(speech[index + $1]) << UInt32(8 * $1) })
    }
    let rig = try RigDevice(
      playing: device.sound(floats), "FORMAT=\(device.format)", "RATE=\(device.rate)",
      "CHANNELS=\(device.channelCount)", "MIC=\(device.microphone)", "PERIOD=\(device.period)")
    let name = rig.name
    let hasOverrun = Box(false)
    let microphone = MicCapture(
      device: { name }, onNotice: { if case .overrun = $0 { hasOverrun.value = true } })
    let reader = FeedReader(try await microphone.start(keepingIn: nil))
    try await reader.wait(forMilliseconds: 900)
    let count = try await microphone.stop()
    let heard = samples(try await reader.finish()).map(Double.init)
    #expect(heard.count * 2 == count)
    let frames = rig.framesHandedOver
    let likeness = compare(
      device, heard, samples(try ALSARig.sound("heard\(device.rate).raw")).map(Double.init),
      lengthError: heard.count - (frames * 16_000 + device.rate - 1) / device.rate)
    return (likeness, hasOverrun.value)
  }

  private static func compare(_ device: Device, _ heard: [Double], _ source: [Double], lengthError: Int) -> Likeness {
    let margin = 8
    // A slow machine stops late, when the device has played all it has.
    let length = min(heard.count, source.count, 16_000) - 2 * margin
    var power = 0.0
    for index in 0..<length { power += heard[margin + index] * heard[margin + index] }
    var best = (correlation: -1.0, lag: 0, power: 1.0)
    for lag in -margin...margin {
      var (product, other) = (0.0, 0.0)
      for index in margin..<margin + length {
        product += heard[index] * source[index - lag]
        other += source[index - lag] * source[index - lag]
      }
      let correlation = product / (power * other).squareRoot()
      if correlation > best.correlation { best = (correlation, lag, other) }
    }
    return Likeness(
      device: device, correlation: best.correlation, levelDB: 10 * log10(power / best.power), lag: best.lag,
      lengthError: lengthError)
  }

  /// One line for each rate, the worst of its devices.
  private static func table(_ all: [Likeness]) -> String {
    func short(_ value: Double) -> String {
      let scaled = Int((value * 10_000).rounded())
      let digits = "\(abs(scaled) % 10_000)"
      return "\(scaled < 0 ? "-" : "")\(abs(scaled) / 10_000)." + String(repeating: "0", count: 4 - digits.count)
        + digits
    }
    var lines = [
      "| rate | devices | least correlation | level, largest difference | lag, samples | length, samples off |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
    for rate in Device.rates {
      let row = all.filter { $0.device.rate == rate }
      let level = row.map(\.levelDB).max { abs($0) < abs($1) } ?? 0
      lines.append(
        "| \(rate) Hz | \(row.count) | \(short(row.map(\.correlation).min() ?? 0)) | \(short(level)) dB | "
          + "\(row.map { abs($0.lag) }.max() ?? 0) | \(row.map { abs($0.lengthError) }.max() ?? 0) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
