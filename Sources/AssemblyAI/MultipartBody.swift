internal import FoundationEssentials

/// The body of a dictation request, byte for byte (T-22).
///
/// Config strictly before audio: the service opens its upstream call when the config lands (T-23).
public enum MultipartBody {
  /// `blurt-` and a fresh upper-case UUID (T-15).
  public static func makeBoundary() -> String { "blurt-" + UUID().uuidString }

  /// The value of the `Content-Type` header (T-14).
  public static func contentType(boundary: String) -> String { "multipart/form-data; boundary=" + boundary }

  /// Pieces 1 to 7: everything before the first sample.
  public static func head(config: [UInt8], boundary: String) -> [UInt8] {
    var bytes = Array("--\(boundary)\r\n".utf8)
    bytes += Array("Content-Disposition: form-data; name=\"config\"\r\n".utf8)
    bytes += Array("Content-Type: application/json\r\n\r\n".utf8)
    bytes += config
    bytes += Array("\r\n--\(boundary)\r\n".utf8)
    bytes += Array("Content-Disposition: form-data; name=\"audio\"; filename=\"audio.pcm\"\r\n".utf8)
    bytes += Array("Content-Type: audio/pcm\r\n\r\n".utf8)
    return bytes
  }

  /// Piece 9: what follows the last sample.
  public static func tail(boundary: String) -> [UInt8] { Array("\r\n--\(boundary)--\r\n".utf8) }
}
