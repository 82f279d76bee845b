/* Replays inputs on a target.
 *
 * driver one FILE            executes one input
 * driver each LIST PREFIX    executes each input of a list, one path a line, in a process of its own. What the sanitizer
 *                            says of input N is in PREFIX.N.PID, and PREFIX.ended has N and the signal of those that
 *                            a signal ended.
 * driver all LIST PREFIX     executes the inputs of a list; its lines are BUCKET, a tab and the path of a file.
 *                            After the last input of a bucket that executed something new, the counters are
 *                            written to PREFIX.BUCKET.LINE. If an input ends the target or takes more than five
 *                            seconds, the counters are written as well, the exit code is 77, and PREFIX.next has
 *                            the number of the next line. PREFIX.next is read when the driver starts. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) extern int LLVMFuzzerInitialize(int *argc, char ***argv);

#ifdef COVERAGE
extern uint64_t *__llvm_profile_begin_counters(void), *__llvm_profile_end_counters(void);
extern void __llvm_profile_set_filename(const char *name);
extern int __llvm_profile_write_file(void);

static char written_to[4096];
static const char *prefix;
static long line, bucket;
static size_t seen;

static void write_counters(void) {
    size_t reached = 0;
    for (uint64_t *c = __llvm_profile_begin_counters(); c < __llvm_profile_end_counters(); c++)
        reached += *c != 0;
    if (reached == seen)
        return;
    seen = reached;
    snprintf(written_to, sizeof written_to, "%s.%ld.%ld", prefix, bucket, line);
    __llvm_profile_set_filename(written_to);
    __llvm_profile_write_file();
}

static void write_next(long next) {
    char name[4096];
    snprintf(name, sizeof name, "%s.next", prefix);
    FILE *file = fopen(name, "w");
    if (file) {
        fprintf(file, "%ld\n", next);
        fclose(file);
    }
}

static void ended(int signal) {
    (void)signal;
    write_counters();
    write_next(line + 1);
    _exit(77);
}
#endif

static void execute(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    size_t room = 1 << 20;
    uint8_t *bytes = malloc(room);
    size_t size = bytes ? fread(bytes, 1, room, file) : 0;
    fclose(file);
    /* A copy of exactly this size, so that a sanitizer notices reads beyond its end. */
    uint8_t *exact = malloc(size ? size : 1);
    if (bytes && exact) {
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(bytes);
}

#ifndef COVERAGE
extern void __sanitizer_set_report_path(const char *path);

static int each(const char *list_path, const char *prefix) {
    char text[8192], name[4096];
    FILE *list = fopen(list_path, "r");
    snprintf(name, sizeof name, "%s.ended", prefix);
    FILE *ended = fopen(name, "w");
    if (!list || !ended)
        return 1;
    for (long number = 0; fgets(text, sizeof text, list); number++) {
        text[strcspn(text, "\n")] = 0;
        fflush(ended);
        pid_t child = fork();
        if (child == 0) {
            snprintf(name, sizeof name, "%s.%ld", prefix, number);
            __sanitizer_set_report_path(name);
            alarm(5);
            execute(text);
            _exit(0);
        }
        int status = 0;
        if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status))
            fprintf(ended, "%ld %d\n", number, WTERMSIG(status));
    }
    fclose(ended);
    return 0;
}
#endif

int main(int argc, char **argv) {
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (argc == 3 && !strcmp(argv[1], "one")) {
        alarm(10);
        execute(argv[2]);
        return 0;
    }
#ifndef COVERAGE
    if (argc == 4 && !strcmp(argv[1], "each"))
        return each(argv[2], argv[3]);
#else
    if (argc == 4 && !strcmp(argv[1], "all")) {
        prefix = argv[3];
        long first = 0;
        char text[8192];
        snprintf(text, sizeof text, "%s.next", prefix);
        FILE *next = fopen(text, "r");
        if (next) {
            if (fscanf(next, "%ld", &first) != 1)
                first = 0;
            fclose(next);
        }
        FILE *list = fopen(argv[2], "r");
        if (!list)
            return 1;
        /* A stack of its own, because the target may have used up the other one. */
        static char memory[1 << 16];
        stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
        sigaltstack(&stack, NULL);
        struct sigaction action = {.sa_handler = ended, .sa_flags = SA_ONSTACK};
        int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGALRM};
        for (size_t n = 0; n < sizeof signals / sizeof *signals; n++)
            sigaction(signals[n], &action, NULL);
        long number = 0, last = -1;
        while (fgets(text, sizeof text, list)) {
            char *path = strchr(text, '\t');
            if (number++ < first || !path)
                continue;
            *path++ = 0;
            path[strcspn(path, "\n")] = 0;
            long next_bucket = atol(text);
            if (last >= 0 && next_bucket != last)
                write_counters();
            last = bucket = next_bucket;
            line = number - 1;
            alarm(5);
            execute(path);
            alarm(0);
        }
        write_counters();
        return 0;
    }
#endif
    fprintf(stderr, "usage: driver one FILE | driver each LIST PREFIX | driver all LIST PREFIX\n");
    return 2;
}
