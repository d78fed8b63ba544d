/*
 * Measures the cost of basic operations on this machine now: CPU time of a sleep and its wake-up, of a context switch, of an echo over
 * TCP on loopback, of arithmetic. Prints one line of JSON; a number that can't be measured here is null.
 *
 *     cc -O2 -pthread -o yardstick yardstick.c && ./yardstick 3
 *
 * The argument is the duration in seconds. Everything is measured once in each of ROUNDS rounds, and the median is printed, so that a
 * disturbed round does not matter. CPU time is the kernel's account of the threads (CLOCK_THREAD_CPUTIME_ID).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, MESSAGE_B = 128, OUTSTANDING = 64, LOW_RATE_HZ = 1000, MULTIPLICATIONS = 100000 };

/* The part of a round that each measurement gets */
static const double WAKE_SHARE = 0.25, SWITCH_SHARE = 0.125, LOW_SHARE = 0.3, HIGH_SHARE = 0.1, ARITHMETIC_SHARE = 0.1;

static int first_core, last_core; /* of the cores that this process may use */

static void fail(const char *what) {
  fprintf(stderr, "error: yardstick: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double seconds_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static double now_s(void) { return seconds_by(CLOCK_MONOTONIC); }
static double thread_s(void) { return seconds_by(CLOCK_THREAD_CPUTIME_ID); }

static void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores)) fail("sched_setaffinity");
}

static void find_cores(void) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores)) fail("sched_getaffinity");
  first_core = -1;
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &cores)) continue;
    if (first_core < 0) first_core = core;
    last_core = core;
  }
}

static pthread_t start(void *(*run)(void *), void *given) {
  pthread_t thread;
  errno = pthread_create(&thread, NULL, run, given);
  if (errno) fail("pthread_create");
  return thread;
}

/* ---- A sleep and its wake-up ---- */

/* Random sleeps of 0.2 to 1 ms: a fixed length could fall in step with the machine's timer. */
static double measure_wake_us(double length_s) {
  pin(first_core);
  unsigned drawn = 1;
  int count = 0;
  double end_s = now_s() + length_s, before_s = thread_s();
  for (; now_s() < end_s; count++) {
    drawn = drawn * 1664525u + 1013904223u;
    struct timespec sleep = {0, 200000 + (drawn >> 8) % 800000};
    nanosleep(&sleep, NULL);
  }
  return 1e6 * (thread_s() - before_s) / count;
}

/* ---- A context switch: two threads take turns ---- */

struct turns {
  _Atomic int turn, is_over;
  int cores[2];
  double cpu_s[2];
  long switches[2];
};

struct turner {
  struct turns *turns;
  int me;
  double end_s;
};

static void *take_turns(void *given) {
  struct turner *turner = given;
  struct turns *turns = turner->turns;
  int me = turner->me;
  pin(turns->cores[me]);
  double before_s = thread_s();
  while (!turns->is_over) {
    while (turns->turn != me && !turns->is_over) syscall(SYS_futex, &turns->turn, FUTEX_WAIT_PRIVATE, !me, NULL, NULL, 0);
    if (me == 0 && turns->switches[0] % 16 == 0 && now_s() > turner->end_s) turns->is_over = 1;
    turns->switches[me]++;
    turns->turn = !me;
    syscall(SYS_futex, &turns->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  turns->cpu_s[me] = thread_s() - before_s;
  return NULL;
}

static double measure_switch_us(int core, int other, double length_s) {
  struct turns turns = {.cores = {core, other}};
  double end_s = now_s() + length_s;
  struct turner both[2] = {{&turns, 0, end_s}, {&turns, 1, end_s}};
  pthread_t threads[2] = {start(take_turns, &both[0]), start(take_turns, &both[1])};
  for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
  return 1e6 * (turns.cpu_s[0] + turns.cpu_s[1]) / (turns.switches[0] + turns.switches[1]);
}

/* ---- An echo over TCP on loopback ---- */

struct end {
  int socket, core, is_batched;
  double length_s, cpu_s;
  long messages;
};

static void be_quick(int socket) {
  int one = 1;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one)) fail("TCP_NODELAY");
}

static void connect_ends(struct end *server, struct end *client) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1)) fail("listen on 127.0.0.1");
  if (getsockname(listener, (struct sockaddr *)&address, &length)) fail("getsockname");
  client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client->socket < 0 || connect(client->socket, (struct sockaddr *)&address, length)) fail("connect to 127.0.0.1");
  server->socket = accept(listener, NULL, NULL);
  if (server->socket < 0) fail("accept");
  close(listener);
  be_quick(server->socket);
  be_quick(client->socket);
}

static int receive(int socket, char *message) { return recv(socket, message, MESSAGE_B, MSG_WAITALL) == MESSAGE_B; }

static void transmit(int socket, const char *message) {
  if (send(socket, message, MESSAGE_B, MSG_NOSIGNAL) != MESSAGE_B) fail("send");
}

/* With SCHED_BATCH a thread does not yield to one that it wakes, so batches stay whole (sched(7)). */
static void settle(const struct end *end) {
  pin(end->core);
  struct sched_param none = {0};
  if (end->is_batched && sched_setscheduler(0, SCHED_BATCH, &none)) fail("SCHED_BATCH");
}

static void *serve(void *given) {
  struct end *server = given;
  char message[MESSAGE_B];
  settle(server);
  double before_s = thread_s();
  while (receive(server->socket, message)) transmit(server->socket, message);
  server->cpu_s = thread_s() - before_s;
  return NULL;
}

static void ask(struct end *client, int count) {
  char message[MESSAGE_B] = {0};
  for (int each = 0; each < count; each++) transmit(client->socket, message);
  for (int each = 0; each < count; each++) {
    if (!receive(client->socket, message)) fail("recv");
  }
  client->messages += count;
}

static void *ask_slowly(void *given) {
  struct end *client = given;
  settle(client);
  double before_s = thread_s(), due_s = now_s(), end_s = due_s + client->length_s;
  for (; due_s < end_s; due_s += 1.0 / LOW_RATE_HZ) {
    struct timespec due = {(time_t)due_s, (long)((due_s - (time_t)due_s) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    ask(client, 1);
  }
  client->cpu_s = thread_s() - before_s;
  return NULL;
}

static void *ask_fast(void *given) {
  struct end *client = given;
  settle(client);
  double before_s = thread_s(), end_s = now_s() + client->length_s;
  while (now_s() < end_s) ask(client, OUTSTANDING);
  client->cpu_s = thread_s() - before_s;
  return NULL;
}

static double measure_echo_us(void *(*load)(void *), struct end server, struct end client) {
  connect_ends(&server, &client);
  pthread_t serving = start(serve, &server), loading = start(load, &client);
  pthread_join(loading, NULL);
  shutdown(client.socket, SHUT_WR);
  pthread_join(serving, NULL);
  close(server.socket);
  close(client.socket);
  return 1e6 * (server.cpu_s + client.cpu_s) / client.messages;
}

/* One message at a time, on two cores if there are two: both ends sleep before each */
static double measure_low_us(double length_s) {
  return measure_echo_us(ask_slowly, (struct end){.core = first_core}, (struct end){.core = last_core, .length_s = length_s});
}

/* Many at a time, on one core: each end sleeps once per OUTSTANDING messages, so wake-ups cost almost nothing */
static double measure_high_us(double length_s) {
  struct end end = {.core = first_core, .is_batched = 1, .length_s = length_s};
  return measure_echo_us(ask_fast, end, end);
}

/* ---- Arithmetic: each step depends on the one before ---- */

static volatile unsigned long long kept;

static double measure_arithmetic_ns(double length_s) {
  pin(first_core);
  unsigned long long value = kept + 1;
  long steps = 0;
  double end_s = now_s() + length_s, before_s = thread_s();
  for (; now_s() < end_s; steps += MULTIPLICATIONS) {
    for (int each = 0; each < MULTIPLICATIONS; each++) value = value * 6364136223846793005ull + 1442695040888963407ull;
  }
  kept = value;
  return 1e9 * (thread_s() - before_s) / steps;
}

/* ---- The machine meanwhile ---- */

struct ticks {
  double all, steal;
};

/* The first line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal */
static struct ticks read_ticks(void) {
  struct ticks ticks = {0, 0};
  double each[8] = {0};
  FILE *file = fopen("/proc/stat", "r");
  if (!file) return ticks;
  int found = fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &each[0], &each[1], &each[2], &each[3], &each[4], &each[5], &each[6], &each[7]);
  fclose(file);
  for (int field = 0; field < found; field++) ticks.all += each[field];
  ticks.steal = each[7];
  return ticks;
}

/* ---- All of it ---- */

enum { WAKE, SAME_CORE, TWO_CORES, LOW, HIGH, ARITHMETIC, METRICS };
static const char *NAMES[METRICS] = {
    "wake_cpu_us", "switch_same_core_us", "switch_two_cores_us", "echo_low_cpu_us", "echo_high_cpu_us", "arithmetic_ns",
};

static int ascending(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

static void measure_round(double length_s, double *found[METRICS], int round) {
  found[WAKE][round] = measure_wake_us(WAKE_SHARE * length_s);
  found[SAME_CORE][round] = measure_switch_us(first_core, first_core, SWITCH_SHARE * length_s);
  if (last_core != first_core) found[TWO_CORES][round] = measure_switch_us(first_core, last_core, SWITCH_SHARE * length_s);
  found[LOW][round] = measure_low_us(LOW_SHARE * length_s);
  found[HIGH][round] = measure_high_us(HIGH_SHARE * length_s);
  found[ARITHMETIC][round] = measure_arithmetic_ns(ARITHMETIC_SHARE * length_s);
}

int main(int count, char **words) {
  double length_s = count == 2 ? atof(words[1]) : 0, rounds[METRICS][ROUNDS], *found[METRICS];
  if (!(length_s >= 0.1 && length_s <= 60)) {
    fprintf(stderr, "error: yardstick: give the time it may take, 0.1 to 60 s, such as: yardstick 3\n");
    return 64;
  }
  for (int metric = 0; metric < METRICS; metric++) found[metric] = rounds[metric];
  alarm(10 + (unsigned)(5 * length_s)); /* it ends whatever happens */
  find_cores();
  double began_s = now_s();
  struct ticks before = read_ticks();
  for (int round = 0; round < ROUNDS; round++) measure_round(length_s / ROUNDS, found, round);
  struct ticks after = read_ticks();
  for (int metric = 0; metric < METRICS; metric++) {
    qsort(found[metric], ROUNDS, sizeof(double), ascending);
    if (metric == TWO_CORES && first_core == last_core) printf("%c\"%s\":null", metric ? ',' : '{', NAMES[metric]);
    else printf("%c\"%s\":%.4g", metric ? ',' : '{', NAMES[metric], found[metric][ROUNDS / 2]);
  }
  double all = after.all - before.all;
  printf(",\"steal_share\":%.4f,\"took_s\":%.2f}\n", all > 0 ? (after.steal - before.steal) / all : 0, now_s() - began_s);
  return 0;
}
