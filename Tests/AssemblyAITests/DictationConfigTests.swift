import AssemblyAI
import Testing

@Suite struct DictationConfigTests {
  private func json(_ config: DictationConfig) -> String { String(decoding: config.encoded(), as: UTF8.self) }

  @Test("T-26 T-27 T-33 T-34 an empty config has rate and channels alone, nothing for fast mode, no empty field")
  func empty() {
    #expect(json(DictationConfig()) == #"{"channels":1,"sample_rate":16000}"#)
    #expect(
      json(DictationConfig(sttPrompt: "", keyTerms: [], llmInstruction: "", rewriteMode: .fast))
        == #"{"channels":1,"sample_rate":16000}"#)
  }

  @Test("T-28 T-29 T-30 T-31 T-32 T-35 a full config has six fields with sorted keys and plain slashes")
  func full() {
    let config = DictationConfig(
      sttPrompt: "a/b\nc", keyTerms: ["Łódź", "x\"y"], llmInstruction: "tidy \\ up", rewriteMode: .smart)
    #expect(
      json(config)
        == #"{"channels":1,"keyterms_prompt":["Łódź","x\"y"],"llm_instruction":"tidy \\ up","rewrite_mode":"smart","#
        + #""sample_rate":16000,"stt_prompt":"a/b\nc"}"#)
  }

  @Test("T-35 control characters are escaped and every other scalar stands as it is")
  func escapes() {
    #expect(
      json(DictationConfig(sttPrompt: "\u{0}\u{1F}\r\t\u{7F}\u{2028}😀é"))
        == #"{"channels":1,"sample_rate":16000,"stt_prompt":"\u0000\u001f\r\t"# + "\u{7F}\u{2028}😀é\"}")
  }

  @Test("T-28 T-29 T-30 the caps are those of the service")
  func caps() {
    #expect(DictationConfig.sttPromptScalarLimit == 4_096)
    #expect(DictationConfig.keyTermsByteLimit == 2_048)
    #expect(DictationConfig.keyTermsCountLimit == 100)
    #expect(DictationConfig.llmInstructionByteLimit == 2_048)
  }
}
