/* An ALSA capture plug-in with a clock, a sound file and faults. For tests only.
 *
 *   pcm.mic { type rig  file "/x/speech16.raw"  ctl "/x/ctl"  log "/x/log" }
 *
 * file         raw interleaved samples of `format` at `rate` and `channels`; zeros after its end; none: zeros
 * ctl          a file of one word that a test changes while the stream runs:
 *                busy (at open)  hold (at open: it blocks until another word stands there)
 *                unplug  mute  freeze  xrun, suspend (once each time the word is written)
 * log          a file that gets the lines "open NAME" and "close NAME", before a slow open "wait NAME", and
 *              "busy NAME" where the ctl file refuses an open so
 * count        a file of two 64-bit numbers: how many frames the application was given since the open, and when the
 *              device was started (CLOCK_MONOTONIC, nanoseconds)
 * format, rate, channels    all that the device can do: s16 s24 s24_3 s32 float u8 (s16, 16000, 1)
 * mic          the file is mono and is this channel of `channels`; the others hold a constant voltage (-1: interleaved)
 * period_frames             the only period it has (0: any)
 * buffer_frames             the largest buffer it has (0: no limit of its own)
 * start_ms     time from start to the clock's own start
 * zeros_ms     zeros before the file begins, which is then played from its first frame
 * open_ms      open blocks that long, as with a sound server that was stopped
 * open_errno, start_errno   open or start fails with that errno
 * fault, fault_ms           xrun, suspend, freeze or unplug, that long after the start
 */
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  snd_pcm_ioplug_t io;
  int timer, sound, counter;
  char *file, *ctl, *log, *count, *fault, *format, *name;
  long rate, channels, mic, period_frames, buffer_frames, start_ms, zeros_ms, open_ms, open_errno, start_errno, fault_ms;
  struct timespec started, first;
  int was_started, has_faulted;
  char last_word[32];
  int last_word_used;
  snd_pcm_uframes_t position, base;
  snd_pcm_uframes_t frozen_at;
} rig_t;

static long long microseconds_since(const struct timespec *a) {
  struct timespec b;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a->tv_sec) * 1000000LL + (b.tv_nsec - a->tv_nsec) / 1000;
}

static void read_word(const char *path, char word[32]) {
  word[0] = 0;
  if (!path) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, word, 31);
  close(fd);
  word[n > 0 ? n : 0] = 0;
  word[strcspn(word, "\n")] = 0;
}

/* True while the word stands in the ctl file. */
static int told(rig_t *r, const char *what) {
  char word[32];
  read_word(r->ctl, word);
  return !strcmp(word, what);
}

/* True once each time the word is written. */
static int told_once(rig_t *r, const char *what) {
  char word[32];
  read_word(r->ctl, word);
  if (strcmp(word, r->last_word)) {
    strcpy(r->last_word, word);
    r->last_word_used = 0;
  }
  if (strcmp(word, what) || r->last_word_used) return 0;
  r->last_word_used = 1;
  return 1;
}

static void note(rig_t *r, const char *what) {
  if (!r->log) return;
  int fd = open(r->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  char line[256];
  int n = snprintf(line, sizeof line, "%s %s\n", what, r->name);
  if (write(fd, line, n) != n) {}
  close(fd);
}

/* Written down at once, so that it outlives the application. */
static void count(rig_t *r, off_t place, long long number) {
  if (r->counter >= 0 && pwrite(r->counter, &number, sizeof number, place * (off_t)sizeof number) < 0) {}
}

static int rig_start(snd_pcm_ioplug_t *io) {
  rig_t *r = io->private_data;
  if (r->start_errno) return -(int)r->start_errno;
  clock_gettime(CLOCK_MONOTONIC, &r->started);
  r->position = 0;
  if (r->was_started) {
    /* The room goes on talking across a restart. */
    r->base = (snd_pcm_uframes_t)(microseconds_since(&r->first) * io->rate / 1000000);
  } else {
    /* The first frame of the file is heard first, however long this thread is kept waiting meanwhile. */
    r->was_started = 1;
    r->first = r->started;
    count(r, 1, r->first.tv_sec * 1000000000LL + r->first.tv_nsec);
  }
  long period = (long)(io->period_size * 1000000000LL / io->rate);
  long long first = period + r->start_ms * 1000000LL;
  struct itimerspec when = {{period / 1000000000, period % 1000000000}, {first / 1000000000, first % 1000000000}};
  return timerfd_settime(r->timer, 0, &when, NULL);
}

static int rig_stop(snd_pcm_ioplug_t *io) {
  rig_t *r = io->private_data;
  struct itimerspec never;
  memset(&never, 0, sizeof never);
  timerfd_settime(r->timer, 0, &never, NULL);
  return 0;
}

static snd_pcm_sframes_t rig_pointer(snd_pcm_ioplug_t *io) {
  rig_t *r = io->private_data;
  long long us = microseconds_since(&r->started);
  if (r->fault && !r->has_faulted && us > r->fault_ms * 1000LL) {
    if (!strcmp(r->fault, "xrun")) {
      r->has_faulted = 1;
      return -EPIPE; /* any error of this callback becomes an overrun */
    }
    if (!strcmp(r->fault, "suspend")) {
      r->has_faulted = 1;
      snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
      return r->position;
    }
    if (!strcmp(r->fault, "unplug")) {
      snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
      return r->position;
    }
    if (!strcmp(r->fault, "freeze")) us = r->fault_ms * 1000LL;
  }
  if (told(r, "unplug")) {
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    return r->position;
  }
  if (told_once(r, "xrun")) return -EPIPE;
  if (told_once(r, "suspend")) {
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
    return r->position;
  }
  if (told(r, "freeze")) return r->position;
  us -= r->start_ms * 1000LL;
  if (us < 0) us = 0;
  unsigned long long hardware = (unsigned long long)us * io->rate / 1000000ULL;
  hardware -= hardware % io->period_size; /* a real card reports whole periods */
  long long waiting = (long long)hardware - (long long)io->appl_ptr;
  if (waiting > (long long)io->buffer_size) return -EPIPE;
  return r->position = hardware % io->buffer_size;
}

/* Spreads a mono file over the channels, the unused of which hold a twentieth of full scale. */
static void read_mono(rig_t *r, char *out, snd_pcm_uframes_t size, off_t at) {
  snd_pcm_format_t format = r->io.format;
  size_t sample = (size_t)snd_pcm_format_physical_width(format) / 8, channels = r->io.channels;
  int unused = (int)((1LL << (snd_pcm_format_width(format) - 1)) / 20);
  float unused_float = 0.05f;
  char *voice = calloc(size, sample);
  if (!voice) return;
  if (pread(r->sound, voice, size * sample, at * (off_t)sample) < 0) {}
  for (size_t i = 0; i < size * channels; i++)
    if (i % channels == (size_t)r->mic) memcpy(out + i * sample, voice + i / channels * sample, sample);
    else memcpy(out + i * sample, format == SND_PCM_FORMAT_FLOAT_LE ? (void *)&unused_float : (void *)&unused, sample);
  free(voice);
}

/* `plug` asks more than once for the same frames, so the place in the file follows the application's pointer. */
static snd_pcm_sframes_t rig_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  rig_t *r = io->private_data;
  size_t frame = io->channels * (size_t)snd_pcm_format_physical_width(io->format) / 8;
  char *out = (char *)areas->addr + (areas->first + areas->step * offset) / 8;
  count(r, 0, (long long)(io->appl_ptr + size));
  memset(out, 0, size * frame);
  if (r->sound < 0 || told(r, "mute")) return size;
  long long at = (long long)(r->base + io->appl_ptr) - r->zeros_ms * (long long)io->rate / 1000;
  snd_pcm_uframes_t skipped = at < 0 ? (snd_pcm_uframes_t)-at : 0;
  if (skipped >= size) return size;
  if (r->mic >= 0) read_mono(r, out + skipped * frame, size - skipped, (off_t)(at + (long long)skipped));
  else if (pread(r->sound, out + skipped * frame, (size - skipped) * frame, (off_t)(at + (long long)skipped) * frame) < 0) {}
  return size;
}

static int rig_revents(snd_pcm_ioplug_t *io, struct pollfd *entries, unsigned count, unsigned short *events) {
  rig_t *r = io->private_data;
  unsigned long long ticks;
  (void)count;
  *events = 0;
  if (entries[0].revents & POLLIN) {
    if (read(r->timer, &ticks, sizeof ticks) < 0) {}
    *events = POLLIN;
  }
  if (io->state != SND_PCM_STATE_RUNNING) *events = POLLIN | POLLERR;
  return 0;
}

static int rig_prepare(snd_pcm_ioplug_t *io) {
  (void)io;
  return 0;
}

static int rig_resume(snd_pcm_ioplug_t *io) {
  snd_pcm_ioplug_set_state(io, SND_PCM_STATE_PREPARED);
  return 0;
}

static void rig_free(rig_t *r) {
  free(r->file);
  free(r->ctl);
  free(r->log);
  free(r->count);
  free(r->fault);
  free(r->format);
  free(r->name);
  free(r);
}

static int rig_close(snd_pcm_ioplug_t *io) {
  rig_t *r = io->private_data;
  note(r, "close");
  close(r->timer);
  if (r->sound >= 0) close(r->sound);
  if (r->counter >= 0) close(r->counter);
  rig_free(r);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = rig_start,
    .stop = rig_stop,
    .pointer = rig_pointer,
    .transfer = rig_transfer,
    .close = rig_close,
    .prepare = rig_prepare,
    .resume = rig_resume,
    .poll_revents = rig_revents,
};

SND_PCM_PLUGIN_DEFINE_FUNC(rig) {
  (void)root;
  rig_t *r = calloc(1, sizeof *r);
  if (!r) return -ENOMEM;
  r->rate = 16000;
  r->channels = 1;
  r->mic = -1;
  r->sound = r->counter = -1;
  r->name = strdup(name ? name : "rig");
  const struct { const char *id; char **value; } texts[] = {
      {"file", &r->file}, {"ctl", &r->ctl}, {"log", &r->log}, {"count", &r->count}, {"fault", &r->fault},
      {"format", &r->format}};
  const struct { const char *id; long *value; } numbers[] = {
      {"rate", &r->rate},           {"channels", &r->channels},     {"buffer_frames", &r->buffer_frames}, {"period_frames", &r->period_frames}, {"mic", &r->mic},
      {"start_ms", &r->start_ms},   {"zeros_ms", &r->zeros_ms},     {"open_ms", &r->open_ms},
      {"open_errno", &r->open_errno}, {"start_errno", &r->start_errno}, {"fault_ms", &r->fault_ms}};
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *node = snd_config_iterator_entry(i);
    const char *id, *text;
    long number;
    if (snd_config_get_id(node, &id) < 0) continue;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      if (!strcmp(id, texts[k].id) && !snd_config_get_string(node, &text) && *text) *texts[k].value = strdup(text);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
      if (!strcmp(id, numbers[k].id) && !snd_config_get_integer(node, &number)) *numbers[k].value = number;
  }
  if (r->open_ms || told(r, "hold")) {
    note(r, "wait");
    usleep((useconds_t)r->open_ms * 1000);
    while (told(r, "hold")) usleep(1000);
  }
  int refused = told(r, "busy") ? EBUSY : told(r, "unplug") ? ENODEV : (int)r->open_errno;
  if (refused) {
    if (refused == EBUSY && !r->open_errno) note(r, "busy");
    SNDERR("rig refuses to open: %s", strerror(refused));
    rig_free(r);
    return -refused;
  }
  if (r->file) r->sound = open(r->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->count) r->counter = open(r->count, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  count(r, 0, 0);
  r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  r->io.version = SND_PCM_IOPLUG_VERSION;
  r->io.name = "rig";
  r->io.callback = &callbacks;
  r->io.private_data = r;
  r->io.poll_fd = r->timer;
  r->io.poll_events = POLLIN;
  r->io.mmap_rw = 0; /* 1 breaks plain readi */
  int err = snd_pcm_ioplug_create(&r->io, name, stream, mode);
  if (err < 0) {
    close(r->timer);
    if (r->sound >= 0) close(r->sound);
    if (r->counter >= 0) close(r->counter);
    rig_free(r);
    return err;
  }
  /* `plug` needs the mmap access in the list. */
  unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  const struct { const char *name; snd_pcm_format_t format; } formats[] = {
      {"s16", SND_PCM_FORMAT_S16_LE},   {"s24", SND_PCM_FORMAT_S24_LE},     {"s24_3", SND_PCM_FORMAT_S24_3LE},
      {"s32", SND_PCM_FORMAT_S32_LE},   {"float", SND_PCM_FORMAT_FLOAT_LE}, {"u8", SND_PCM_FORMAT_U8}};
  unsigned format[] = {SND_PCM_FORMAT_S16_LE};
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
    if (r->format && !strcmp(r->format, formats[k].name)) format[0] = formats[k].format;
  long frame = r->channels * snd_pcm_format_physical_width((snd_pcm_format_t)format[0]) / 8;
  snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
  snd_pcm_ioplug_set_param_list(&r->io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
  snd_pcm_ioplug_set_param_minmax(&r->io, SND_PCM_IOPLUG_HW_RATE, r->rate, r->rate);
  snd_pcm_ioplug_set_param_minmax(&r->io, SND_PCM_IOPLUG_HW_CHANNELS, r->channels, r->channels);
  long most = r->buffer_frames ? r->buffer_frames * frame : 1 << 24;
  long period = r->period_frames * frame;
  snd_pcm_ioplug_set_param_minmax(
      &r->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, period ? period : 128, period ? period : most / 2);
  snd_pcm_ioplug_set_param_minmax(&r->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 512, most);
  snd_pcm_ioplug_set_param_minmax(&r->io, SND_PCM_IOPLUG_HW_PERIODS, 2, 8192);
  note(r, "open");
  *pcmp = r->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(rig);
