import BlurtEngine
import Testing

@Suite struct SoundPackCatalogTests {
  private func voice(_ id: String, _ group: String, label: String = "") -> SoundPack {
    SoundPack(id: id, label: label, group: group)
  }

  @Test("P-47 a pack's files are named by its id and the cue; the silent pack has neither")
  func files() {
    #expect(voice("bell", "a").fileStem(of: .start) == "bell-start")
    #expect(voice("bell", "a").fileStem(of: .stop) == "bell-stop")
    #expect(SoundPack.silent.id == "none")
    #expect(SoundPack.silent.fileStem(of: .start) == nil)
    #expect(SoundPack.silent.fileStem(of: .stop) == nil)
  }

  @Test("P-48 without voices there is silence")
  func empty() {
    let catalogue = SoundPackCatalog(voices: [], defaultID: "wood")
    #expect(catalogue.packs == [.silent])
    #expect(catalogue.defaultPack == .silent)
    #expect(catalogue.groups.isEmpty)
  }

  @Test("P-49 a default that names no voice is silent; a voice with the silent id loses its place")
  func silence() {
    let hostile = SoundPackCatalog(
      voices: [voice("none", "x", label: "Loud"), voice("a", "x", label: "first"), voice("a", "y")], defaultID: "gone")
    #expect(hostile.defaultPack == .silent)
    #expect(hostile.voices == [voice("a", "x", label: "first")])
    #expect(hostile.pack(id: "none") == .silent)
    #expect(hostile.groups == ["x"])
    #expect(SoundPackCatalog(voices: [voice("none", "x")], defaultID: "none").defaultPack == .silent)
  }

  @Test("P-50 one rule decodes a stored id: unset and unknown are the default")
  func decoding() {
    let catalogue = SoundPackCatalog(voices: [voice("a", "x"), voice("b", "x")], defaultID: "b")
    #expect(catalogue.pack(storedID: nil).id == "b")
    #expect(catalogue.pack(storedID: "?").id == "b")
    #expect(catalogue.pack(storedID: "a").id == "a")
    #expect(catalogue.pack(storedID: "none") == .silent)
    #expect(catalogue.pack(id: "?") == nil)
  }

  @Test("P-51 groups keep the order of their first appearance, without repeats, each with its voices in order")
  func groups() {
    let catalogue = SoundPackCatalog(
      voices: [voice("a", "z"), voice("b", "y"), voice("c", "z"), voice("d", "x")], defaultID: "a")
    #expect(catalogue.groups == ["z", "y", "x"])
    #expect(catalogue.voices(in: "z").map(\.id) == ["a", "c"])
    #expect(catalogue.voices(in: "y").map(\.id) == ["b"])
    #expect(catalogue.voices(in: "?").isEmpty)
  }
}
