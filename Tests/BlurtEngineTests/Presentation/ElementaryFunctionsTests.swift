import Foundation
import Testing

@testable import BlurtEngine

@Suite struct ElementaryFunctionsTests {
  @Test("S-90 S-91 the cosine is that of the C library")
  func cosine() {
    for turns in stride(from: -3.0, through: 3.0, by: 0.007) {
      #expect(abs(ElementaryFunctions.cosine(turns: turns) - cos(turns * 2 * .pi)) < 1e-9, "\(turns)")
    }
    #expect(ElementaryFunctions.cosine(turns: 1e12 + 0.5) == -1)
    #expect(ElementaryFunctions.cosine(turns: .infinity) == 1)
    #expect(ElementaryFunctions.cosine(turns: .nan) == 1)
  }

  @Test("S-89 the power is that of the C library")
  func power() {
    for base in stride(from: 0.0, through: 1.0, by: 0.003) {
      #expect(abs(ElementaryFunctions.power(base, 1.3) - pow(base, 1.3)) < 1e-9, "\(base)")
    }
    #expect(ElementaryFunctions.power(-1, 1.3) == 0)
    #expect(ElementaryFunctions.power(2, 1.3) == 1)
    #expect(ElementaryFunctions.power(.nan, 1.3) == 0)
    #expect(ElementaryFunctions.power(.leastNonzeroMagnitude, 1.3) >= 0)
    #expect(ElementaryFunctions.power(1e-300, 1.3) < 1e-300)
  }
}
