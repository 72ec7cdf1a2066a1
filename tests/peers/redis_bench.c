// redis_bench: Redis's side of tools/compare, with its C client.
//
//   redis_bench send|cycle|latency PORT CONNECTIONS WINDOW SIZE MESSAGES
//
// The same work as `wharf bench`: one stream, CONNECTIONS producers with at most WINDOW messages
// each that are not answered; a server with `appendfsync always` answers when it has synced.
// `cycle` adds as many consumers of one group, each on a connection of its own, who take up to
// WINDOW messages at a time, acknowledge them and delete them: what is acknowledged would stay
// otherwise. `latency` sends one at a time on one connection, whatever CONNECTIONS and WINDOW say.
// One thread for each connection. Prints one line of JSON.

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <string.h>

static const char kName[] = "redis_bench";
#include "bench_work.h"

enum { kArgumentsMax = 5000, kCountTextMax = 16 };
static const char kStream[] = "bench";
static const char kGroup[] = "all";

static redisContext* Connect(void) {
  redisContext* const connection = redisConnect("127.0.0.1", port);
  if (connection == NULL || connection->err) Fail("connect");
  return connection;
}

// The next answer, which is no error.
static redisReply* Hear(redisContext* connection, const char* what) {
  void* reply = NULL;
  if (redisGetReply(connection, &reply) != REDIS_OK) Fail(what);
  if (((redisReply*)reply)->type == REDIS_REPLY_ERROR) Fail(what);
  return reply;
}

static void Ask(redisContext* connection, const char* command) {
  redisAppendCommand(connection, command);
  freeReplyObject(Hear(connection, command));
}

static void MakeEmptyStream(void) {
  redisContext* const connection = Connect();
  Ask(connection, "DEL bench");
  Ask(connection, "XGROUP CREATE bench all 0 MKSTREAM");
  redisFree(connection);
}

static void Append(redisContext* connection, const char* body) {
  redisAppendCommand(connection, "XADD %s * b %b", kStream, body, size);
}

// How many answers have come: waits for one, and takes what came with it.
static long HearSome(redisContext* connection) {
  freeReplyObject(Hear(connection, "XADD"));
  long heard = 1;
  for (void* reply = NULL; redisGetReplyFromReader(connection, &reply) == REDIS_OK && reply != NULL;
       ++heard) {
    if (((redisReply*)reply)->type == REDIS_REPLY_ERROR) Fail("XADD");
    freeReplyObject(reply);
  }
  return heard;
}

static void* Produce(void* index) {
  redisContext* const connection = Connect();
  char* const body = malloc(size);
  memset(body, 'x', size);
  const long share = Share((long)index);

  pthread_barrier_wait(&start_line);
  long sent = 0;
  for (long answered = 0; answered < share; answered += HearSome(connection)) {
    for (; sent < share && sent - answered < window; ++sent) Append(connection, body);
  }

  free(body);
  redisFree(connection);
  return NULL;
}

// The commands that settle what was received, as one request.
static void Settle(redisContext* connection, const redisReply* entries) {
  static _Thread_local const char* words[kArgumentsMax];
  int count = 0;
  words[count++] = "XACK";
  words[count++] = kStream;
  words[count++] = kGroup;
  for (size_t i = 0; i < entries->elements; ++i) {
    words[count++] = entries->element[i]->element[0]->str;
  }
  redisAppendCommandArgv(connection, count, words, NULL);
  // The same ids, behind two words of the same command line.
  words[1] = "XDEL";
  words[2] = kStream;
  redisAppendCommandArgv(connection, count - 1, words + 1, NULL);
}

static void* Consume(void* index) {
  redisContext* const connection = Connect();
  pthread_barrier_wait(&start_line);
  while (atomic_load(&consumed) < messages) {
    redisAppendCommand(connection, "XREADGROUP GROUP %s c%ld COUNT %ld BLOCK 20 STREAMS %s >",
                       kGroup, (long)index, window, kStream);
    redisReply* const reply = Hear(connection, "XREADGROUP");
    if (reply->type == REDIS_REPLY_ARRAY) {
      const redisReply* const entries = reply->element[0]->element[1];
      Settle(connection, entries);
      freeReplyObject(Hear(connection, "XACK"));
      freeReplyObject(Hear(connection, "XDEL"));
      atomic_fetch_add(&consumed, (long)entries->elements);
    }
    freeReplyObject(reply);
  }
  redisFree(connection);
  return NULL;
}

static void MeasureLatency(void) {
  redisContext* const connection = Connect();
  char* const body = calloc(size, 1);
  double* const took = malloc((size_t)messages * sizeof *took);
  for (long sent = 0; sent < messages; ++sent) {
    const double began = Now();
    Append(connection, body);
    freeReplyObject(Hear(connection, "XADD"));
    took[sent] = (Now() - began) * 1e6;
  }
  redisFree(connection);
  PrintLatency(took);
  free(took);
  free(body);
}

int main(int argc, char** argv) {
  const bool is_known = argc == 7 && (!strcmp(argv[1], "send") || !strcmp(argv[1], "cycle") ||
                                      !strcmp(argv[1], "latency"));
  if (!is_known) {
    fprintf(stderr,
            "usage: redis_bench send|cycle|latency PORT CONNECTIONS WINDOW SIZE MESSAGES\n");
    return 2;
  }
  port = atoi(argv[2]);
  ReadWork(argv + 3);
  if (window > kArgumentsMax - kCountTextMax) Fail("so large a window");

  MakeEmptyStream();
  if (strcmp(argv[1], "latency") == 0) {
    MeasureLatency();
  } else {
    const bool is_cycle = strcmp(argv[1], "cycle") == 0;
    PrintRate(argv[1], Run(Produce, is_cycle ? Consume : NULL));
  }
  MakeEmptyStream();
  return 0;
}
