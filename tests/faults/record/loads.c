/* Loads of which each does one thing until it is ended: loads MODE NUMBER... ; see `loads` in capturing.py.
 * cc -O2 -o loads loads.c -lpthread */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long number[4];
static char *word[4];

static void nap_ns(long ns) {
    struct timespec t = {ns / 1000000000L, ns % 1000000000L};
    nanosleep(&t, NULL);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void work_ns(long ns) {
    double end = now_s() + ns / 1e9;
    while (now_s() < end)
        for (volatile int i = 0; i < 200; i++) {}
}

static void in_threads(long count, void *(*body)(void *)) {
    for (long i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, body, (void *)i)) exit(1);
    }
    for (;;) pause();
}

/* spin THREADS BUSY_PERCENT [CPU]: computes so much of each ten milliseconds */
static void *spin(void *nothing) {
    (void)nothing;
    if (word[2]) pin(number[2]);
    for (;;) {
        if (number[1] >= 100) {
            for (volatile long i = 0; i < 100000000; i++) {}
        } else {
            work_ns(number[1] * 100000);
            nap_ns((100 - number[1]) * 100000);
        }
    }
    return NULL;
}

/* kernel THREADS: reads zeros, which the kernel writes */
static void *kernel(void *nothing) {
    (void)nothing;
    size_t size = 1 << 20;
    char *into = malloc(size);
    int zero = open("/dev/zero", O_RDONLY);
    while (read(zero, into, size) > 0) {}
    return NULL;
}

/* switches PAIRS: two threads pass one byte to and fro */
static int ends[64][4];
static void *pass(void *which) {
    long place = (long)which / 2, second = (long)which % 2;
    char byte = 0;
    int from = ends[place][second ? 0 : 2], to = ends[place][second ? 3 : 1];
    if (!second && write(to, &byte, 1) != 1) exit(1);
    while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1) {}
    return NULL;
}

/* convoy THREADS HELD_NS: all want one lock that is given on in turn */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns[512];
static long served, waiting;
static void *convoy(void *mine) {
    (void)mine;
    for (;;) {
        pthread_mutex_lock(&guard);
        long ticket = waiting++;
        while (served != ticket) pthread_cond_wait(&turns[ticket % 512], &guard);
        pthread_mutex_unlock(&guard);
        work_ns(number[1]);
        pthread_mutex_lock(&guard);
        served++;
        pthread_cond_signal(&turns[served % 512]);
        pthread_mutex_unlock(&guard);
    }
    return NULL;
}

/* forks PROCESSES: makes children that end at once */
static void forks(void) {
    for (;;) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child > 0) waitpid(child, NULL, 0);
    }
}

/* touch MIB PAGES_A_SECOND MIB_AT_START: one byte in a random page; 0 a second: as fast as it goes */
static void touch(void) {
    size_t size = (size_t)number[0] << 20, page = 4096;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < ((size_t)number[2] << 20); at += page) memory[at] = (char)random();
    if (word[3]) { close(open(word[3], O_CREAT | O_WRONLY, 0600)); while (access(word[3], F_OK) == 0) nap_ns(50000000); }
    long done = 0;
    double begun = now_s();
    for (;;) {
        size_t at = (((size_t)random() << 16) ^ (size_t)random()) % (size / page) * page;
        memory[at] += 1;
        if (number[1] && ++done % 64 == 0) {
            double ahead = done / (double)number[1] - (now_s() - begun);
            if (ahead > 0) nap_ns(ahead * 1e9);
        }
    }
}

/* leak MIB_A_SECOND */
static void leak(void) {
    for (;;) {
        for (int tenth = 0; tenth < 10; tenth++) {
            size_t size = (size_t)number[0] * 104857;
            char *more = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (more != MAP_FAILED) memset(more, 1, size);
            nap_ns(100000000);
        }
    }
}

/* map FILE THREADS: reads random pages of a mapped file */
static char *mapped;
static size_t mapped_size;
static void *map(void *which) {
    unsigned seed = (long)which + 1;
    volatile char sum = 0;
    for (;;) sum += mapped[(((size_t)rand_r(&seed) << 15) ^ rand_r(&seed)) % (mapped_size / 4096) * 4096];
    return NULL;
}

/* timers THREADS CPU: sleeps of twenty microseconds, all on one processor */
static void *timers(void *nothing) {
    (void)nothing;
    pin(number[1]);
    for (;;) nap_ns(20000);
    return NULL;
}

static struct sockaddr_in to(const char *address, long port) {
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, address, &peer.sin_addr);
    return peer;
}

/* datagrams ADDRESS THREADS A_SECOND PORTS: of eighteen bytes; 0 a second: as fast as it goes */
static void *datagrams(void *which) {
    struct sockaddr_in peer = to(word[0], 9999);
    struct mmsghdr many[32];
    char body[18] = {0};
    struct iovec part = {body, sizeof body};
    int at = socket(AF_INET, SOCK_DGRAM, 0);
    long done = 0;
    double begun = now_s();
    memset(many, 0, sizeof many);
    for (int i = 0; i < 32; i++) {
        many[i].msg_hdr.msg_iov = &part;
        many[i].msg_hdr.msg_iovlen = 1;
        many[i].msg_hdr.msg_name = &peer;
        many[i].msg_hdr.msg_namelen = sizeof peer;
    }
    for (;;) {
        if (number[3]) {
            struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(2000 + ((long)which * 7919 + done / 32) % number[3])};
            close(at);
            at = socket(AF_INET, SOCK_DGRAM, 0);
            if (bind(at, (struct sockaddr *)&own, sizeof own)) { done += 32; continue; }
        }
        sendmmsg(at, many, 32, 0);
        done += 32;
        double ahead = number[2] ? done / (double)number[2] - (now_s() - begun) : 0;
        if (ahead > 0) nap_ns(ahead * 1e9);
    }
    return NULL;
}

/* serve PORT DRAIN: takes connections; reads all that comes (1) or waits for the other side to close */
static void *drain(void *which) {
    int at = (int)(long)which;
    static __thread char into[1 << 18];
    while (read(at, into, sizeof into) > 0) {}
    close(at);
    return NULL;
}
static void serve(void) {
    int at = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(number[0])};
    setsockopt(at, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(at, (struct sockaddr *)&own, sizeof own) || listen(at, 1024)) exit(1);
    for (;;) {
        int one = accept(at, NULL, NULL);
        pthread_t thread;
        if (one < 0) continue;
        if (pthread_create(&thread, NULL, drain, (void *)(long)one) == 0) pthread_detach(thread);
        else close(one);
    }
}

/* connect ADDRESS PORT A_SECOND: makes connections and closes them first */
static void connects(void) {
    struct sockaddr_in peer = to(word[0], number[1]);
    long done = 0;
    double begun = now_s();
    for (;;) {
        int at = socket(AF_INET, SOCK_STREAM, 0);
        connect(at, (struct sockaddr *)&peer, sizeof peer);
        close(at);
        double ahead = ++done / (double)number[2] - (now_s() - begun);
        if (ahead > 0) nap_ns(ahead * 1e9);
    }
}

/* stream ADDRESS PORT KIB_A_SECOND CONNECTIONS: 0 a second: as fast as it goes */
static void *stream(void *nothing) {
    (void)nothing;
    struct sockaddr_in peer = to(word[0], number[1]);
    int at = socket(AF_INET, SOCK_STREAM, 0);
    static char body[1 << 17];
    size_t part = number[2] ? 1 << 13 : sizeof body;
    double sent = 0, begun = now_s();
    if (connect(at, (struct sockaddr *)&peer, sizeof peer)) exit(1);
    for (;;) {
        ssize_t some = write(at, body, part);
        if (some < 0) exit(1);
        sent += some;
        double ahead = number[2] ? sent / 1024 / number[2] - (now_s() - begun) : 0;
        if (ahead > 0) nap_ns(ahead * 1e9);
    }
    return NULL;
}

/* handles COUNT: opens files and keeps them */
static void handles(void) {
    struct rlimit most = {number[0] + 64, number[0] + 64};
    setrlimit(RLIMIT_NOFILE, &most);
    for (long i = 0; i < number[0]; i++) open("/dev/null", O_RDONLY);
    for (;;) pause();
}

int main(int count, char **words) {
    if (count < 3) return 2;
    for (int i = 0; i < 4 && i + 2 < count; i++) {
        word[i] = words[i + 2];
        number[i] = atol(word[i]);
    }
    for (int i = 0; i < 512; i++) pthread_cond_init(&turns[i], NULL);
    signal(SIGPIPE, SIG_IGN);
    const char *mode = words[1];
    if (!strcmp(mode, "spin")) in_threads(number[0], spin);
    if (!strcmp(mode, "kernel")) in_threads(number[0], kernel);
    if (!strcmp(mode, "switches")) {
        for (long i = 0; i < number[0]; i++)
            if (pipe(ends[i]) || pipe(ends[i] + 2)) return 1;
        in_threads(2 * number[0], pass);
    }
    if (!strcmp(mode, "convoy")) in_threads(number[0], convoy);
    if (!strcmp(mode, "forks")) {
        for (long i = 1; i < number[0]; i++)
            if (fork() == 0) break;
        forks();
    }
    if (!strcmp(mode, "touch")) touch();
    if (!strcmp(mode, "leak")) leak();
    if (!strcmp(mode, "map")) {
        int file = open(word[0], O_RDONLY);
        mapped_size = lseek(file, 0, SEEK_END);
        mapped = mmap(NULL, mapped_size, PROT_READ, MAP_SHARED, file, 0);
        madvise(mapped, mapped_size, MADV_RANDOM);
        in_threads(number[1], map);
    }
    if (!strcmp(mode, "timers")) in_threads(number[0], timers);
    if (!strcmp(mode, "datagrams")) in_threads(number[1], datagrams);
    if (!strcmp(mode, "serve")) serve();
    if (!strcmp(mode, "connect")) connects();
    if (!strcmp(mode, "stream")) in_threads(number[3], stream);
    if (!strcmp(mode, "handles")) handles();
    return 2;
}
