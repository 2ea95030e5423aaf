import BlurtEngine
import Testing

@Suite struct SetupStateTests {
  private let all = SetupState(granted: Set(SetupState.Grant.allCases), hasEngine: true)

  @Test("P-78 ready is every permission and an engine")
  func ready() {
    #expect(all.isReady)
    #expect(!SetupState(granted: all.granted, hasEngine: false).isReady)
    for grant in SetupState.Grant.allCases {
      #expect(!SetupState(granted: all.granted.subtracting([grant]), hasEngine: true).isReady)
    }
  }

  @Test("P-80 a lost grant is the edge from a whole set to less")
  func edge() {
    for grant in SetupState.Grant.allCases {
      let less = SetupState(granted: all.granted.subtracting([grant]), hasEngine: true)
      #expect(less.lostGrant(since: all))
      #expect(!all.lostGrant(since: less) && !less.lostGrant(since: less))
      #expect(!SetupState(granted: [], hasEngine: true).lostGrant(since: less))
    }
    #expect(!all.lostGrant(since: all))
    // The key is no grant.
    #expect(!SetupState(granted: all.granted, hasEngine: false).lostGrant(since: all))
  }
}
