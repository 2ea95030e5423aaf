/* first-period PCM COUNT [PERIOD_FRAMES]: the least a recorder could do. Opens the PCM for 16 kHz mono 16 bit, starts it
   and waits for its first frames; prints how long that took from before the open, and the period it got. */
#include "common.h"
#include <alsa/asoundlib.h>

static void check(int error, const char *what) {
    if (error < 0) {
        fprintf(stderr, "first-period: %s: %s\n", what, snd_strerror(error));
        exit(1);
    }
}
int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int count = atoi(argv[2]);
    snd_pcm_uframes_t wanted = argc > 3 ? (snd_pcm_uframes_t)atoi(argv[3]) : 320, period = 0;
    long long *took = calloc((size_t)count, sizeof *took);
    for (int i = 0; i < count; i++) {
        snd_pcm_t *pcm;
        snd_pcm_hw_params_t *p;
        short frames[16000];
        long long began = now_ns();
        check(snd_pcm_open(&pcm, argv[1], SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK), "open");
        snd_pcm_hw_params_malloc(&p);
        check(snd_pcm_hw_params_any(pcm, p), "any");
        check(snd_pcm_hw_params_set_access(pcm, p, SND_PCM_ACCESS_RW_INTERLEAVED), "access");
        check(snd_pcm_hw_params_set_format(pcm, p, SND_PCM_FORMAT_S16_LE), "format");
        check(snd_pcm_hw_params_set_channels(pcm, p, 1), "channels");
        check(snd_pcm_hw_params_set_rate(pcm, p, 16000, 0), "rate");
        period = wanted;
        check(snd_pcm_hw_params_set_period_size_near(pcm, p, &period, 0), "period");
        check(snd_pcm_hw_params(pcm, p), "hw_params");
        check(snd_pcm_start(pcm), "start");
        snd_pcm_sframes_t n;
        while ((n = snd_pcm_readi(pcm, frames, period)) == -EAGAIN || n == 0) snd_pcm_wait(pcm, 1000);
        check((int)n, "readi");
        took[i] = now_ns() - began;
        snd_pcm_hw_params_free(p);
        snd_pcm_close(pcm);
        usleep(20000);
    }
    fprintf(stderr, "period %lu\n", (unsigned long)period);
    print_percentiles(took, count);
    return 0;
}
