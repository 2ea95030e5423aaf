internal import AssemblyAI

/// The body of a request to a server of OpenAI's kind: a few text fields, then the sound as a WAV file.
enum OpenAIForm {
  /// Everything before the samples, the WAV header included.
  static func head(fields: [(name: String, value: String)], sampleByteCount: Int, boundary: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      bytes += Array(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n".utf8)
    }
    bytes += Array("--\(boundary)\r\n".utf8)
    bytes += Array("Content-Disposition: form-data; name=\"file\"; filename=\"audio.wav\"\r\n".utf8)
    bytes += Array("Content-Type: audio/wav\r\n\r\n".utf8)
    return bytes + WAVHeader.make(sampleByteCount: sampleByteCount)
  }
}
