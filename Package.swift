// swift-tools-version: 6.2
import PackageDescription

// One section per target, its test target beside it, A to Z. One loop at the end applies the settings.
//
// Build with `--explicit-target-dependency-import-check error` (scripts/check.sh does): an import that is not
// declared here then stops the build.

let package = Package(
  name: "blurt",
  products: [
    .library(name: "AssemblyAI", targets: ["AssemblyAI"]),
    .library(name: "BlurtEngine", targets: ["BlurtEngine"]),
    .executable(name: "blurt-offline", targets: ["blurt-offline"]),
    .executable(name: "blurtctl", targets: ["blurtctl"]),
    .executable(name: "blurtd", targets: ["blurtd"]),
  ],
  targets: [
    // MARK: C libraries: a module map and a shim.h each, no code of their own
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMoonshine"),
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(name: "CSndfile"),
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(
      name: "CUmockdev", path: "Tests/CUmockdev", pkgConfig: "umockdev-1.0", providers: [.apt(["libumockdev-dev"])]),
    .systemLibrary(
      name: "CX11", pkgConfig: "xtst xfixes x11", providers: [.apt(["libx11-dev", "libxtst-dev", "libxfixes-dev"])]),

    // MARK: AssemblyAI
    .target(name: "AssemblyAI"),
    .testTarget(name: "AssemblyAITests", dependencies: ["AssemblyAI", "BlurtTestSupport"]),

    // MARK: blurt-offline
    .executableTarget(name: "blurt-offline", dependencies: ["BlurtOffline"]),

    // MARK: BlurtBus
    .target(name: "BlurtBus", dependencies: ["BlurtOS", "CSystemd"]),

    // MARK: BlurtCapture
    .target(name: "BlurtCapture", dependencies: ["BlurtEngine", "BlurtOS", "CALSA", "CPulse"]),
    .testTarget(
      name: "BlurtCaptureTests", dependencies: ["BlurtCapture", "BlurtEngine", "BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtCues
    .target(name: "BlurtCues", dependencies: ["BlurtEngine", "BlurtOS", "CALSA"]),
    .testTarget(name: "BlurtCuesTests", dependencies: ["BlurtCues", "BlurtEngine", "BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtContract
    .target(name: "BlurtContract"),
    .testTarget(name: "BlurtContractTests", dependencies: ["BlurtContract", "BlurtTestSupport"]),

    // MARK: BlurtContext
    .target(name: "BlurtContext", dependencies: ["BlurtBus", "BlurtEngine", "BlurtOS"]),
    .testTarget(
      name: "BlurtContextTests",
      dependencies: ["BlurtBus", "BlurtContext", "BlurtEngine", "BlurtOS", "BlurtTestSupport"]),

    // MARK: blurtctl
    .executableTarget(
      name: "blurtctl", dependencies: ["BlurtContract", "BlurtIPC", "BlurtOS"], exclude: ["blurtctl.1"]),
    .testTarget(
      name: "blurtctlTests", dependencies: ["blurtctl", "BlurtContract", "BlurtIPC", "BlurtOS", "BlurtTestSupport"]),

    // MARK: blurtd
    .executableTarget(name: "blurtd", dependencies: ["BlurtDaemon"], exclude: ["blurtd.1"]),

    // MARK: BlurtDaemon
    .target(
      name: "BlurtDaemon",
      dependencies: [
        "AssemblyAI", "BlurtCapture", "BlurtContext", "BlurtContract", "BlurtCues", "BlurtEngine", "BlurtExecutor",
        "BlurtHTTP", "BlurtHotkey", "BlurtIPC", "BlurtInjection", "BlurtOS", "BlurtOffline", "BlurtSeat",
        "BlurtWayland",
      ]),
    .testTarget(
      name: "BlurtDaemonTests",
      dependencies: [
        "AssemblyAI", "BlurtCapture", "BlurtContext", "BlurtContract", "BlurtCues", "BlurtDaemon", "BlurtEngine",
        "BlurtHTTP", "BlurtHotkey", "BlurtIPC", "BlurtInjection", "BlurtOS", "BlurtOffline", "BlurtSeat",
        "BlurtTestSupport", "BlurtWayland",
      ]),

    // MARK: BlurtEngine
    .target(name: "BlurtEngine", dependencies: ["AssemblyAI"]),
    .testTarget(
      name: "BlurtEngineTests", dependencies: ["AssemblyAI", "BlurtEngine", "BlurtTestSupport"], exclude: ["Fixtures"]),

    // MARK: BlurtExecutor, and the one C library of ours: what has Swift's calling convention
    .target(name: "CSwiftRuntime"),
    .target(name: "BlurtExecutor", dependencies: ["BlurtOS", "CLinux", "CSwiftRuntime"]),
    .testTarget(name: "BlurtExecutorTests", dependencies: ["BlurtExecutor", "BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtHTTP
    .target(name: "BlurtHTTP", dependencies: ["AssemblyAI", "BlurtOS", "CCurl"]),
    .testTarget(name: "BlurtHTTPTests", dependencies: ["AssemblyAI", "BlurtHTTP", "BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtHotkey
    .target(name: "BlurtHotkey", dependencies: ["BlurtEngine", "BlurtOS", "CEvdev"]),
    .testTarget(
      name: "BlurtHotkeyTests",
      dependencies: ["BlurtEngine", "BlurtHotkey", "BlurtOS", "BlurtTestSupport", "CUmockdev"]),

    // MARK: BlurtInjection
    .target(name: "BlurtInjection", dependencies: ["BlurtEngine", "BlurtOS", "CX11"]),
    .testTarget(
      name: "BlurtInjectionTests",
      dependencies: ["BlurtEngine", "BlurtInjection", "BlurtOS", "BlurtTestSupport", "CX11"]),

    // MARK: BlurtIPC
    .target(name: "BlurtIPC", dependencies: ["BlurtContract", "BlurtOS"]),
    .testTarget(name: "BlurtIPCTests", dependencies: ["BlurtContract", "BlurtIPC", "BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtOffline
    .target(name: "BlurtOffline", dependencies: ["BlurtEngine", "BlurtOS", "CMoonshine", "CSndfile"]),
    .testTarget(
      name: "BlurtOfflineTests", dependencies: ["BlurtEngine", "BlurtOS", "BlurtOffline", "BlurtTestSupport"]),

    // MARK: BlurtOS
    .target(name: "BlurtOS", dependencies: ["CLinux"]),
    .testTarget(name: "BlurtOSTests", dependencies: ["BlurtOS", "BlurtTestSupport"]),

    // MARK: BlurtSeat
    .target(name: "BlurtSeat", dependencies: ["BlurtBus", "BlurtOS"]),
    .testTarget(name: "BlurtSeatTests", dependencies: ["BlurtBus", "BlurtOS", "BlurtSeat", "BlurtTestSupport"]),

    // MARK: BlurtTestSupport
    .target(
      name: "BlurtTestSupport",
      dependencies: [
        "AssemblyAI", "BlurtContract", "BlurtEngine", "BlurtExecutor", "BlurtIPC", "BlurtOS", "CTestStart",
      ], path: "Tests/BlurtTestSupport"),
    .target(name: "CTestStart", path: "Tests/CTestStart"),

    // MARK: BlurtWayland
    .target(name: "BlurtWayland", dependencies: ["BlurtEngine", "BlurtOS", "CEvdev"]),
    .testTarget(
      name: "BlurtWaylandTests", dependencies: ["BlurtEngine", "BlurtOS", "BlurtTestSupport", "BlurtWayland"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
