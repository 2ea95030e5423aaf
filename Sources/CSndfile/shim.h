#pragma once
// The part of libsndfile's C interface (1.0.18 and later, whose layout has not changed since) that reads a sound, declared
// by ourselves: the library is opened with dlopen and nothing is linked. Declarations only, no logic.
#include <stddef.h>
#include <stdint.h>

/// SF_INFO: what a file says of itself. Numbers from outside.
struct blurt_sndfile_info {
  int64_t frames;
  int samplerate;
  int channels;
  int format;
  int sections;
  int seekable;
};

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct blurt_sndfile_info) == 32, "layout of SF_INFO");
_Static_assert(offsetof(struct blurt_sndfile_info, samplerate) == 8, "layout of SF_INFO");
_Static_assert(offsetof(struct blurt_sndfile_info, seekable) == 24, "layout of SF_INFO");
#endif

enum {
  /// SFM_READ
  blurt_sndfile_read_mode = 0x10,
  /// SF_FORMAT_TYPEMASK, SF_FORMAT_FLAC, SF_FORMAT_OGG
  blurt_sndfile_container_mask = 0x0FFF0000,
  blurt_sndfile_flac = 0x00170000,
  blurt_sndfile_ogg = 0x00200000,
};

/// sf_open_fd: NULL where the file is no sound that the library knows.
typedef void *(*blurt_sndfile_open_fd_t)(int descriptor, int mode, struct blurt_sndfile_info *info, int closes);
/// sf_readf_float: whole frames, interleaved, between -1 and 1; 0 at the end or at what cannot be decoded.
typedef int64_t (*blurt_sndfile_readf_float_t)(void *file, float *samples, int64_t frame_count);
/// sf_close
typedef int (*blurt_sndfile_close_t)(void *file);
/// sf_version_string: a string of the library's own.
typedef const char *(*blurt_sndfile_version_t)(void);
