// bench_work: what the programs share that load other brokers for tools/compare and tools/doors:
// how much work there is, threads that begin together, and what is printed of it.
//
// Each is one C file, compiled by itself, which says its name (kName) before it includes this.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Constant once the threads run.
static int port;
static int connections;
static long window;
static size_t size;
static long messages;

// By all consumers together.
static atomic_long consumed;
// Where all wait until everybody is connected.
static pthread_barrier_t start_line;

static void Fail(const char* what) {
  fprintf(stderr, "%s: %s failed\n", kName, what);
  exit(1);
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// CONNECTIONS WINDOW SIZE MESSAGES
static void ReadWork(char** words) {
  connections = atoi(words[0]);
  window = atol(words[1]);
  size = (size_t)atol(words[2]);
  messages = atol(words[3]);
}

// Of the messages, that of one connection.
static long Share(long index) {
  return messages / connections + (index < messages % connections ? 1 : 0);
}

typedef void* (*Work)(void* index);

// A thread for each connection, of each kind that is not null. The clock runs from the moment all
// are connected until the last one has hung up.
static double Run(Work produce, Work consume) {
  const Work kinds[] = {produce, consume};
  pthread_t* const threads = calloc((size_t)connections * 2, sizeof *threads);
  const int count = connections * ((produce != NULL) + (consume != NULL));
  pthread_barrier_init(&start_line, NULL, (unsigned)count + 1);
  int begun = 0;
  for (int kind = 0; kind < 2; ++kind) {
    for (long i = 0; kinds[kind] != NULL && i < connections; ++i) {
      if (pthread_create(&threads[begun++], NULL, kinds[kind], (void*)i)) Fail("thread");
    }
  }
  pthread_barrier_wait(&start_line);
  const double began = Now();
  for (int i = 0; i < begun; ++i) pthread_join(threads[i], NULL);
  const double seconds = Now() - began;
  free(threads);
  return seconds;
}

static int ByLength(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

static void PrintRate(const char* mode, double seconds) {
  printf(
      "{\"mode\": \"%s\", \"connections\": %d, \"window\": %ld, \"size\": %zu, \"messages\": %ld, "
      "\"seconds\": %.3f, \"messages_per_second\": %.0f}\n",
      mode, connections, window, size, messages, seconds, (double)messages / seconds);
}

// Of all messages one by one, in microseconds; puts them in order.
static void PrintLatency(double* took) {
  qsort(took, (size_t)messages, sizeof *took, ByLength);
  printf(
      "{\"mode\": \"latency\", \"size\": %zu, \"messages\": %ld, \"p50\": %.0f, \"p99\": %.0f}\n",
      size, messages, took[messages / 2], took[messages * 99 / 100]);
}
