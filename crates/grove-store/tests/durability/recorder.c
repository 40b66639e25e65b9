/* Preloaded into a process, records what it does to the files of one folder, in the order in which it happens:
 * writes, truncations, flushes and removals. Each record is "kind file offset length\n" followed by `length` bytes. The folder is
 * in RECORD_FOLDER, the record goes to RECORD_TO.
 *
 * It can also be a disk that fails: FAIL_CALL is a kind, of which FAIL_TIMES calls fail with the error FAIL_WITH, from the FAIL_AT-th on; or
 * all, for as long as the file FAIL_WHILE exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;

/* The name of an open file within the folder, or nothing. */
static const char *name_of(int fd, char *buffer, size_t size) {
    const char *folder = getenv("RECORD_FOLDER");
    char link[64];
    if (!folder) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, buffer, size - 1);
    if (length <= 0) return NULL;
    buffer[length] = 0;
    size_t prefix = strlen(folder);
    if (strncmp(buffer, folder, prefix) != 0 || buffer[prefix] != '/') return NULL;
    const char *name = buffer + prefix + 1;
    const char *end = strrchr(name, '-');
    return end && strcmp(end, "-shm") == 0 ? NULL : name;
}

static void write_all(const void *data, size_t length) {
    const char *at = data;
    while (length > 0) {
        ssize_t done = REAL(write)(out, at, length);
        if (done <= 0) abort();
        at += done;
        length -= (size_t)done;
    }
}

static void record(const char *kind, const char *name, long long offset, const void *data, size_t length) {
    char head[512];
    if (out < 0) out = REAL(open)(getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int size = snprintf(head, sizeof head, "%s %s %lld %zu\n", kind, name, offset, length);
    write_all(head, (size_t)size);
    write_all(data, length);
}

/* Whether a call has to fail. Acknowledgements are not on the disk that fails. */
static int fails(const char *kind, const char *name) {
    static long calls = 0;
    const char *failing = getenv("FAIL_CALL");
    if (!failing || strcmp(failing, kind) != 0 || strcmp(name, "acknowledged") == 0) return 0;
    const char *file = getenv("FAIL_WHILE");
    if (file) {
        if (access(file, F_OK) != 0) return 0;
    } else {
        long first = atol(getenv("FAIL_AT")), times = atol(getenv("FAIL_TIMES"));
        calls++;
        if (calls < first || calls >= first + times) return 0;
    }
    errno = atoi(getenv("FAIL_WITH"));
    return 1;
}

/* The call and its record are one step, so that the record has the order of what happened. */
#define RECORDED(fd, call, kind, offset, data, length, ok)             \
    char buffer[4096];                                                 \
    const char *name = name_of(fd, buffer, sizeof buffer);             \
    if (!name) return call;                                            \
    pthread_mutex_lock(&lock);                                         \
    if (fails(kind, name)) {                                           \
        pthread_mutex_unlock(&lock);                                   \
        return -1;                                                     \
    }                                                                  \
    __auto_type result = call;                                         \
    if (ok) record(kind, name, offset, data, length);                  \
    pthread_mutex_unlock(&lock);                                       \
    return result

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
    RECORDED(fd, REAL(pwrite64)(fd, data, length, offset), "write", (long long)offset, data, (size_t)result, result > 0);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    RECORDED(fd, REAL(pwrite)(fd, data, length, offset), "write", (long long)offset, data, (size_t)result, result > 0);
}

ssize_t write(int fd, const void *data, size_t length) {
    RECORDED(fd, REAL(write)(fd, data, length), "write", (long long)lseek(fd, 0, SEEK_CUR) - result, data, (size_t)result,
             result > 0);
}

int ftruncate64(int fd, off64_t length) {
    RECORDED(fd, REAL(ftruncate64)(fd, length), "truncate", (long long)length, "", 0, result == 0);
}

int ftruncate(int fd, off_t length) {
    RECORDED(fd, REAL(ftruncate)(fd, length), "truncate", (long long)length, "", 0, result == 0);
}

int fdatasync(int fd) {
    RECORDED(fd, REAL(fdatasync)(fd), "flush", 0LL, "", 0, result == 0);
}

int fsync(int fd) {
    RECORDED(fd, REAL(fsync)(fd), "flush", 0LL, "", 0, result == 0);
}
