// rabbit_bench: RabbitMQ's side of tools/compare, with its C client.
//
//   rabbit_bench send|cycle|drain|latency|expire|declare PORT CONNECTIONS WINDOW SIZE MESSAGES
//
// The same work as `wharf bench`: one durable queue (a quorum queue, which syncs before it
// confirms), CONNECTIONS producers with publisher confirms and at most WINDOW unconfirmed messages
// each. `cycle` adds as many consumers, each on a connection of its own, with WINDOW as prefetch,
// who acknowledge every message by itself. `drain` has them after all is sent, and times them
// alone. `latency` sends one at a time on one connection,
// whatever CONNECTIONS and WINDOW say. `expire` gives each message a time to live that ends at one
// instant for all of them, and counts how long the queue takes from then until it is empty, and how
// long small sends to another queue take meanwhile. `declare` makes the queue anew and leaves it,
// for another client, and says nothing. One thread for each connection. Prints one line of JSON.

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

static const char kName[] = "rabbit_bench";
#include "bench_work.h"

enum { kChannel = 1, kFrameBytesMax = 131072, kTriesMax = 50 };
static const char kQueue[] = "bench";
static const char kOther[] = "other";

// So many a second are sent at least, or some are due while others are still sent.
enum { kSlowestPerSecond = 8000, kSecondsAtLeast = 10 };
enum { kQuietSeconds = 3, kSmallSendsMax = 1 << 20 };

// When all messages are due, by Now(); 0: they have no time to live.
static double due;

static void Check(amqp_rpc_reply_t reply, const char* what) {
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) Fail(what);
}

static amqp_connection_state_t Connect(void) {
  amqp_connection_state_t connection = amqp_new_connection();
  amqp_socket_t* socket = amqp_tcp_socket_new(connection);
  if (!socket || amqp_socket_open(socket, "127.0.0.1", port)) Fail("connect");
  Check(amqp_login(connection, "/", AMQP_DEFAULT_MAX_CHANNELS, kFrameBytesMax, 0,
                   AMQP_SASL_METHOD_PLAIN, "guest", "guest"),
        "login");
  amqp_channel_open(connection, kChannel);
  Check(amqp_get_rpc_reply(connection), "channel.open");
  return connection;
}

// Waits until the broker has handled everything before it.
static void Disconnect(amqp_connection_state_t connection) {
  Check(amqp_channel_close(connection, kChannel, AMQP_REPLY_SUCCESS), "channel.close");
  Check(amqp_connection_close(connection, AMQP_REPLY_SUCCESS), "connection.close");
  amqp_destroy_connection(connection);
}

static void SleepUntil(double time) {
  const double left = time - Now();
  if (left <= 0) return;
  const struct timespec span = {.tv_sec = (time_t)left,
                                .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
  nanosleep(&span, NULL);
}

// Whether it was done. In a cluster a queue that was just deleted may be refused for a moment.
static bool TryMakeEmptyQueue(const char* name) {
  amqp_table_entry_t type = {.key = amqp_cstring_bytes("x-queue-type")};
  type.value.kind = AMQP_FIELD_KIND_UTF8;
  type.value.value.bytes = amqp_cstring_bytes("quorum");
  const amqp_table_t arguments = {.num_entries = 1, .entries = &type};

  amqp_connection_state_t connection = Connect();
  amqp_queue_delete(connection, kChannel, amqp_cstring_bytes(name), false, false);
  Check(amqp_get_rpc_reply(connection), "queue.delete");
  amqp_queue_declare(connection, kChannel, amqp_cstring_bytes(name), false, true, false, false,
                     arguments);
  if (amqp_get_rpc_reply(connection).reply_type != AMQP_RESPONSE_NORMAL) {
    amqp_destroy_connection(connection);
    return false;
  }
  Disconnect(connection);
  return true;
}

static void MakeEmptyQueue(const char* name) {
  for (int tries = 0; !TryMakeEmptyQueue(name); ++tries) {
    if (tries == kTriesMax) Fail("queue.declare");
    SleepUntil(Now() + 0.1);
  }
}

// Reads one confirm, which may speak for several messages; returns the last number confirmed so
// far. One queue confirms one connection's messages in order; were that not so, counting them like
// this would be wrong.
static long AwaitConfirm(amqp_connection_state_t connection, long confirmed) {
  amqp_frame_t frame;
  if (amqp_simple_wait_frame(connection, &frame) != AMQP_STATUS_OK) Fail("confirm");
  if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
    Fail("confirm");
  const amqp_basic_ack_t* ack = frame.payload.method.decoded;
  const long tag = (long)ack->delivery_tag;
  if (ack->multiple ? tag <= confirmed : tag != confirmed + 1) Fail("order of confirms");
  return tag;
}

static void Publish(amqp_connection_state_t connection, const char* queue, amqp_bytes_t body) {
  amqp_basic_properties_t properties = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
                                        .delivery_mode = 2};
  char left[32];
  if (due > 0) {
    const double milliseconds = (due - Now()) * 1e3;
    if (milliseconds < 1) Fail("sending before all is due");
    snprintf(left, sizeof left, "%.0f", milliseconds);
    properties._flags |= AMQP_BASIC_EXPIRATION_FLAG;
    properties.expiration = amqp_cstring_bytes(left);
  }
  if (amqp_basic_publish(connection, kChannel, amqp_empty_bytes, amqp_cstring_bytes(queue), false,
                         false, &properties, body)) {
    Fail("publish");
  }
}

static void* Produce(void* index) {
  amqp_connection_state_t connection = Connect();
  amqp_confirm_select(connection, kChannel);
  Check(amqp_get_rpc_reply(connection), "confirm.select");
  char* bytes = malloc(size);
  memset(bytes, 'x', size);
  const amqp_bytes_t body = {.len = size, .bytes = bytes};
  const long share = Share((long)index);

  pthread_barrier_wait(&start_line);
  long sent = 0;
  long confirmed = 0;
  while (confirmed < share) {
    while (sent < share && sent - confirmed < window) {
      Publish(connection, kQueue, body);
      ++sent;
    }
    do {
      confirmed = AwaitConfirm(connection, confirmed);
    } while (confirmed < sent &&
             (amqp_frames_enqueued(connection) || amqp_data_in_buffer(connection)));
    amqp_maybe_release_buffers(connection);
  }

  free(bytes);
  Disconnect(connection);
  return NULL;
}

static void* Consume(void* unused) {
  (void)unused;
  amqp_connection_state_t connection = Connect();
  amqp_basic_qos(connection, kChannel, 0, (uint16_t)window, false);
  Check(amqp_get_rpc_reply(connection), "basic.qos");
  amqp_basic_consume(connection, kChannel, amqp_cstring_bytes(kQueue), amqp_empty_bytes, false,
                     false, false, amqp_empty_table);
  Check(amqp_get_rpc_reply(connection), "basic.consume");

  pthread_barrier_wait(&start_line);
  while (atomic_load(&consumed) < messages) {
    const struct timeval patience = {.tv_usec = 20000};
    amqp_envelope_t envelope;
    amqp_maybe_release_buffers(connection);
    const amqp_rpc_reply_t reply = amqp_consume_message(connection, &envelope, &patience, 0);
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION &&
        reply.library_error == AMQP_STATUS_TIMEOUT)
      continue;
    Check(reply, "delivery");
    if (amqp_basic_ack(connection, kChannel, envelope.delivery_tag, false)) Fail("ack");
    amqp_destroy_envelope(&envelope);
    atomic_fetch_add(&consumed, 1);
  }

  Disconnect(connection);
  return NULL;
}

// --- expire

// One at a time to the other queue, until told; each with its own durable receipt.
typedef struct {
  pthread_t thread;
  atomic_bool is_over;
  double* took;
  long count;
} SmallSends;

static void* SendSmall(void* argument) {
  SmallSends* sends = argument;
  amqp_connection_state_t connection = Connect();
  amqp_confirm_select(connection, kChannel);
  Check(amqp_get_rpc_reply(connection), "confirm.select");
  while (!atomic_load(&sends->is_over) && sends->count < kSmallSendsMax) {
    const double began = Now();
    Publish(connection, kOther, amqp_cstring_bytes("x"));
    AwaitConfirm(connection, sends->count);
    amqp_maybe_release_buffers(connection);
    sends->took[sends->count++] = (Now() - began) * 1e3;
    SleepUntil(Now() + 0.002);
  }
  Disconnect(connection);
  return NULL;
}

static void BeginSmallSends(SmallSends* sends) {
  atomic_store(&sends->is_over, false);
  sends->took = malloc(kSmallSendsMax * sizeof *sends->took);
  sends->count = 0;
  if (pthread_create(&sends->thread, NULL, SendSmall, sends)) Fail("thread");
}

// Milliseconds that 99 of 100 took at most.
static double EndSmallSends(SmallSends* sends) {
  atomic_store(&sends->is_over, true);
  pthread_join(sends->thread, NULL);
  qsort(sends->took, (size_t)sends->count, sizeof *sends->took, ByLength);
  const double p99 = sends->count > 0 ? sends->took[sends->count * 99 / 100] : 0;
  free(sends->took);
  return p99;
}

static void AwaitEmpty(void) {
  amqp_connection_state_t connection = Connect();
  for (;;) {
    const amqp_queue_declare_ok_t* queue =
        amqp_queue_declare(connection, kChannel, amqp_cstring_bytes(kQueue), true, true, false,
                           false, amqp_empty_table);
    Check(amqp_get_rpc_reply(connection), "queue.declare");
    if (queue->message_count == 0) break;
    amqp_maybe_release_buffers(connection);
    SleepUntil(Now() + 0.01);
  }
  Disconnect(connection);
}

static void Expire(void) {
  const double all_due = Now() + (double)messages / kSlowestPerSecond + kSecondsAtLeast;
  MakeEmptyQueue(kOther);
  due = all_due;
  Run(Produce, NULL);
  due = 0;

  SmallSends sends;
  BeginSmallSends(&sends);
  SleepUntil(Now() + kQuietSeconds);
  const double before = EndSmallSends(&sends);
  if (Now() > all_due) Fail("sending before all is due");
  SleepUntil(all_due);
  BeginSmallSends(&sends);
  AwaitEmpty();
  const double seconds = Now() - all_due;
  const double meanwhile = EndSmallSends(&sends);
  printf(
      "{\"peer\": \"rabbitmq\", \"mode\": \"expire\", \"messages\": %ld, \"seconds\": %.1f, "
      "\"small_send_p99_ms_before\": %.1f, \"small_send_p99_ms\": %.1f}\n",
      messages, seconds, before, meanwhile);
  MakeEmptyQueue(kOther);
}

static void MeasureLatency(void) {
  amqp_connection_state_t connection = Connect();
  amqp_confirm_select(connection, kChannel);
  Check(amqp_get_rpc_reply(connection), "confirm.select");
  char* const body = calloc(size, 1);
  double* const took = malloc((size_t)messages * sizeof *took);
  for (long sent = 0; sent < messages; ++sent) {
    const double began = Now();
    Publish(connection, kQueue, (amqp_bytes_t){.len = size, .bytes = body});
    AwaitConfirm(connection, sent);
    amqp_maybe_release_buffers(connection);
    took[sent] = (Now() - began) * 1e6;
  }
  Disconnect(connection);
  PrintLatency(took);
  free(took);
  free(body);
}

static void Measure(const char* mode) {
  const bool drains = strcmp(mode, "drain") == 0;
  const bool consumes = drains || strcmp(mode, "cycle") == 0;
  if (drains) Run(Produce, NULL);
  PrintRate(mode, Run(drains ? NULL : Produce, consumes ? Consume : NULL));
}

static bool IsMode(const char* mode) {
  return !strcmp(mode, "send") || !strcmp(mode, "cycle") || !strcmp(mode, "drain") ||
         !strcmp(mode, "latency") || !strcmp(mode, "expire") || !strcmp(mode, "declare");
}

int main(int argc, char** argv) {
  if (argc != 7 || !IsMode(argv[1])) {
    fprintf(stderr,
            "usage: rabbit_bench send|cycle|drain|latency|expire|declare PORT CONNECTIONS WINDOW "
            "SIZE MESSAGES\n");
    return 2;
  }
  port = atoi(argv[2]);
  ReadWork(argv + 3);

  MakeEmptyQueue(kQueue);
  if (strcmp(argv[1], "declare") == 0) return 0;
  if (strcmp(argv[1], "expire") == 0) {
    Expire();
  } else if (strcmp(argv[1], "latency") == 0) {
    MeasureLatency();
  } else {
    Measure(argv[1]);
  }
  MakeEmptyQueue(kQueue);
  return 0;
}
