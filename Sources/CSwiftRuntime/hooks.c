// The declarations are those of the runtime's own ConcurrencyHooks.h and ExecutorImpl.h.
#include "CSwiftRuntime.h"

#define SWIFT_CALL __attribute__((swiftcall))

// Weak: a runtime that has one of them no more can be linked as well, and then nothing is installed.
extern void *swift_task_enqueueGlobal_hook __attribute__((weak));
extern void *swift_task_enqueueGlobalWithDelay_hook __attribute__((weak));
extern void *swift_task_enqueueGlobalWithDeadline_hook __attribute__((weak));

// A reference to a serial executor; both words are 0 for the global one.
struct executor {
  void *identity;
  uintptr_t implementation;
};
extern SWIFT_CALL void swift_job_run(void *job, struct executor executor);

void blurt_swift_run(void *job) {
  struct executor global = {0, 0};
  swift_job_run(job, global);
}

// Written once, before the runtime's hooks are and before the threads start that run jobs.
static struct blurt_swift_hooks installed;

static SWIFT_CALL void enqueue(void *job, void *original) {
  (void)original;
  installed.enqueue(job);
}

static SWIFT_CALL void enqueue_after(unsigned long long nanoseconds, void *job, void *original) {
  (void)original;
  installed.enqueue_after(nanoseconds, job);
}

static SWIFT_CALL void enqueue_at(long long seconds, long long nanoseconds, long long tolerance_seconds,
                                  long long tolerance_nanoseconds, int clock, void *job, void *original) {
  (void)tolerance_seconds;
  (void)tolerance_nanoseconds;
  (void)original;
  installed.enqueue_at(seconds, nanoseconds, clock, job);
}

int blurt_swift_has_hooks(void) {
  return &swift_task_enqueueGlobal_hook && &swift_task_enqueueGlobalWithDelay_hook &&
         &swift_task_enqueueGlobalWithDeadline_hook;
}

void blurt_swift_prepare(struct blurt_swift_hooks hooks) { installed = hooks; }

void blurt_swift_install(void) {
  // The delays first: nobody is to find the one hook without the others.
  __atomic_store_n(&swift_task_enqueueGlobalWithDelay_hook, (void *)enqueue_after, __ATOMIC_RELEASE);
  __atomic_store_n(&swift_task_enqueueGlobalWithDeadline_hook, (void *)enqueue_at, __ATOMIC_RELEASE);
  __atomic_store_n(&swift_task_enqueueGlobal_hook, (void *)enqueue, __ATOMIC_RELEASE);
}
