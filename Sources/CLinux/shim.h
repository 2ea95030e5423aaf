#pragma once
// What Swift's Glibc module lacks. `static inline` wrappers only, no logic, and no _GNU_SOURCE: its types would
// clash with Swift's own Glibc module.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <unistd.h>

/// The identity of a socket's peer, as the kernel gives it (SO_PEERCRED).
struct blurt_linux_peer {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

static inline int blurt_linux_peer_credentials(int fd, struct blurt_linux_peer *out) {
  socklen_t length = sizeof *out;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &length);
}

/// A descriptor that becomes readable when the process ends (pidfd_open).
static inline int blurt_linux_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// A descriptor that becomes readable when the process that made the connection ends (SO_PEERPIDFD, Linux 6.5). The
/// kernel remembers the process itself, so that no other one can be meant.
static inline int blurt_linux_peer_pidfd(int fd) {
  int process = -1;
  socklen_t length = sizeof process;
  return getsockopt(fd, SOL_SOCKET, 77, &process, &length) == 0 ? process : -1;
}

/// Gives free memory of every arena back to the kernel (malloc_trim). Nothing where the C library is another than glibc.
static inline void blurt_linux_give_back_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static inline int blurt_linux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Asks the scheduler for short turns for the calling thread (sched_setattr, Linux 6.12): it then runs sooner after it was
/// woken, for the same share of the processor. Nothing else is changed.
static inline int blurt_linux_ask_for_short_turns(uint64_t nanoseconds) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = sizeof attributes};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -1;
  if (attributes.policy != SCHED_OTHER) return 0;
  attributes.runtime = nanoseconds;
  return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

static inline int blurt_linux_set_parent_death_signal(int signal_number) {
  return prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0);
}

/// accept4 without the peer's address; its declaration needs _GNU_SOURCE.
static inline int blurt_linux_accept(int listener, int flags) {
  return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, flags);
}

/// pipe2 with O_CLOEXEC; its declaration needs _GNU_SOURCE.
static inline int blurt_linux_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

static inline int blurt_linux_flock(int fd, int operation) { return flock(fd, operation); }

/// A file in memory without a name, with MFD_CLOEXEC; its declaration needs _GNU_SOURCE.
static inline int blurt_linux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1U); }
