#pragma once
// The hooks of Swift's concurrency runtime through which it hands out the jobs of its global executor, and the call that
// runs one. Both have Swift's own calling convention, which Swift code cannot name for a function pointer.
#include <stdint.h>

/// The clock that counts the time of a suspend, among those that `enqueue_at` names.
enum { BLURT_SWIFT_CONTINUOUS_CLOCK = 1 };

/// Who takes the jobs. Each is given exactly once, from any thread.
struct blurt_swift_hooks {
  /// A job that can run now.
  void (*_Nonnull enqueue)(void *_Nonnull job);
  /// A job that can run after so many nanoseconds.
  void (*_Nonnull enqueue_after)(uint64_t nanoseconds, void *_Nonnull job);
  /// A job that can run at a time of a clock.
  void (*_Nonnull enqueue_at)(int64_t seconds, int64_t nanoseconds, int32_t clock, void *_Nonnull job);
};

/// Whether the runtime has all of the hooks.
int blurt_swift_has_hooks(void);

/// Says who takes the jobs. Once, before the threads that run them are started.
void blurt_swift_prepare(struct blurt_swift_hooks hooks);

/// Sets the runtime's hooks, which must be there, after `blurt_swift_prepare`. A second call changes nothing.
void blurt_swift_install(void);

/// Runs a job to its next suspension on the calling thread, as a job of the global executor.
void blurt_swift_run(void *_Nonnull job);
