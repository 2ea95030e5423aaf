#pragma once
// The part of libmoonshine's C interface (version 30000) that the offline engine uses, declared by ourselves: the
// library is opened with dlopen and nothing is linked. A wrong layout would crash, so the sizes are asserted and the
// library's own version is compared before the first call.
//
// Below it, what the engine's process needs of the kernel to lock itself in. Declarations and `static inline` wrappers
// only, no logic.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: libmoonshine

/// The interface version these declarations belong to: major * 10000 + minor * 100 + patch.
enum { blurt_moonshine_interface_version = 30000 };

/// The smallest model architecture, for which the wheel holds the English model.
enum { blurt_moonshine_architecture_tiny = 0 };

/// One option of a transcriber; both are copied by the library during the call.
struct blurt_moonshine_option {
  const char *name;
  const char *value;
};

/// A stretch of speech. All memory belongs to the handle until its next call.
struct blurt_moonshine_line {
  const char *text;
  const float *audio;
  size_t audio_count;
  float start_seconds;
  float duration_seconds;
  uint64_t id;
  int8_t is_complete;
  int8_t is_updated;
  int8_t is_new;
  int8_t has_text_changed;
  int8_t have_speakers_changed;
  const void *speaker_spans;
  uint64_t speaker_span_count;
  uint32_t latency_milliseconds;
  const void *words;
  uint64_t word_count;
};

struct blurt_moonshine_transcript {
  struct blurt_moonshine_line *lines;
  uint64_t line_count;
};

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct blurt_moonshine_option) == 16, "layout of libmoonshine 30000");
_Static_assert(sizeof(struct blurt_moonshine_line) == 88, "layout of libmoonshine 30000");
_Static_assert(offsetof(struct blurt_moonshine_line, start_seconds) == 24, "layout of libmoonshine 30000");
_Static_assert(offsetof(struct blurt_moonshine_line, word_count) == 80, "layout of libmoonshine 30000");
_Static_assert(sizeof(struct blurt_moonshine_transcript) == 16, "layout of libmoonshine 30000");
#endif

/// moonshine_get_version
typedef int32_t (*blurt_moonshine_get_version_t)(void);
/// moonshine_error_to_string: a string of the library's own.
typedef const char *(*blurt_moonshine_error_to_string_t)(int32_t error);
/// moonshine_load_transcriber_from_files: a handle from 0 up, or a negative error.
typedef int32_t (*blurt_moonshine_load_t)(
    const char *folder, uint32_t architecture, const struct blurt_moonshine_option *options, uint64_t option_count,
    int32_t interface_version);
/// moonshine_transcribe_without_streaming: samples between -1 and 1.
typedef int32_t (*blurt_moonshine_transcribe_t)(
    int32_t handle, const float *samples, uint64_t sample_count, int32_t sample_rate, uint32_t flags,
    struct blurt_moonshine_transcript **transcript);
/// moonshine_free_transcriber
typedef void (*blurt_moonshine_free_t)(int32_t handle);

// MARK: Process

/// pipe2; its declaration needs _GNU_SOURCE.
static inline int blurt_offline_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/// The declaration may be hidden; the function is in glibc since 2.34.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

static inline int blurt_offline_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

static inline int blurt_offline_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// No core file and no debugger of the same user: the memory holds what was spoken.
static inline int blurt_offline_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline int blurt_offline_install_filter(const struct sock_fprog *program) {
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0);
}

/// A network namespace of its own, with nothing in it; both flags' names need _GNU_SOURCE.
static inline int blurt_offline_leave_network(void) {
  return (int)syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */ | 0x40000000 /* CLONE_NEWNET */);
}

/// The architecture a filter is written for; 0 where we have none.
static inline uint32_t blurt_offline_audit_architecture(void) {
#if defined(__x86_64__)
  return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  return AUDIT_ARCH_AARCH64;
#else
  return 0;
#endif
}

/// The results a filter can give.
enum {
  blurt_offline_filter_allow = (int)SECCOMP_RET_ALLOW,
  blurt_offline_filter_refuse = (int)(SECCOMP_RET_ERRNO | EPERM),
};

/// The bit that call numbers of the x32 interface carry, which would go round the numbers below; 0 where there is none.
static inline uint32_t blurt_offline_foreign_call_bit(void) {
#if defined(__x86_64__)
  return 0x40000000;
#else
  return 0;
#endif
}

/// The calls that open files by flags in a register, and where the flags are.
enum {
  blurt_offline_openat = SYS_openat,
#if defined(SYS_open)
  blurt_offline_open = SYS_open,
#else
  blurt_offline_open = -1,
#endif
  blurt_offline_writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
};

/// The calls an engine has no need of: the network, other programs, other processes, changes to files.
static const int blurt_offline_refused_calls[] = {
    // network
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_recvfrom, SYS_recvmsg,
    // ways round a filter
    SYS_io_uring_setup, SYS_openat2, SYS_bpf, SYS_userfaultfd, SYS_perf_event_open, SYS_open_by_handle_at,
    // other programs and processes
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_pidfd_send_signal,
    SYS_pidfd_getfd, SYS_setns, SYS_unshare, SYS_mount, SYS_keyctl, SYS_add_key, SYS_request_key,
#if defined(SYS_fork)
    SYS_fork, SYS_vfork,
#endif
    // changes to files
    SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_fchmod, SYS_fchmodat,
    SYS_fchown, SYS_fchownat, SYS_truncate, SYS_setxattr, SYS_lsetxattr,
#if defined(SYS_renameat)
    SYS_renameat,
#endif
#if defined(SYS_unlink)
    SYS_creat, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink, SYS_mknod, SYS_chmod, SYS_chown,
    SYS_lchown,
#endif
};

static inline int blurt_offline_refused_call_count(void) {
  return (int)(sizeof blurt_offline_refused_calls / sizeof blurt_offline_refused_calls[0]);
}

static inline int blurt_offline_refused_call(int index) { return blurt_offline_refused_calls[index]; }
