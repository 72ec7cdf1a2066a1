// rabbit_bench: RabbitMQ's side of tools/compare, with its C client.
//
//   rabbit_bench send|cycle PORT CONNECTIONS WINDOW SIZE MESSAGES
//
// The same work as `wharf bench`: one durable queue (a quorum queue, which syncs before it
// confirms), CONNECTIONS producers with publisher confirms and at most WINDOW unconfirmed messages
// each. `cycle` adds as many consumers, each on a connection of its own, with WINDOW as prefetch,
// who acknowledge every message by itself. One thread for each connection. Prints one line of JSON.

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { kChannel = 1, kFrameBytesMax = 131072 };
static const char kQueue[] = "bench";

// Constant once the threads run.
static int port;
static int connections;
static long window;
static size_t size;
static long messages;

static atomic_long consumed;
static pthread_barrier_t start_line;

static void Fail(const char* what) {
  fprintf(stderr, "rabbit_bench: %s failed\n", what);
  exit(1);
}

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

static void MakeEmptyQueue(void) {
  amqp_table_entry_t type = {.key = amqp_cstring_bytes("x-queue-type")};
  type.value.kind = AMQP_FIELD_KIND_UTF8;
  type.value.value.bytes = amqp_cstring_bytes("quorum");
  const amqp_table_t arguments = {.num_entries = 1, .entries = &type};

  amqp_connection_state_t connection = Connect();
  amqp_queue_delete(connection, kChannel, amqp_cstring_bytes(kQueue), false, false);
  Check(amqp_get_rpc_reply(connection), "queue.delete");
  amqp_queue_declare(connection, kChannel, amqp_cstring_bytes(kQueue), false, true, false, false,
                     arguments);
  Check(amqp_get_rpc_reply(connection), "queue.declare");
  Disconnect(connection);
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

static long Share(long index) {
  return messages / connections + (index < messages % connections ? 1 : 0);
}

static void* Produce(void* index) {
  amqp_connection_state_t connection = Connect();
  amqp_confirm_select(connection, kChannel);
  Check(amqp_get_rpc_reply(connection), "confirm.select");
  char* bytes = malloc(size);
  memset(bytes, 'x', size);
  const amqp_bytes_t body = {.len = size, .bytes = bytes};
  const amqp_basic_properties_t persistent = {._flags = AMQP_BASIC_DELIVERY_MODE_FLAG,
                                              .delivery_mode = 2};
  const long share = Share((long)index);

  pthread_barrier_wait(&start_line);
  long sent = 0;
  long confirmed = 0;
  while (confirmed < share) {
    while (sent < share && sent - confirmed < window) {
      if (amqp_basic_publish(connection, kChannel, amqp_empty_bytes, amqp_cstring_bytes(kQueue),
                             false, false, &persistent, body)) {
        Fail("publish");
      }
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

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// The clock runs from the moment all are connected until the last one has hung up.
static double Run(bool with_consumers) {
  const int threads = with_consumers ? 2 * connections : connections;
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  pthread_barrier_init(&start_line, NULL, (unsigned)threads + 1);
  for (long i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], NULL, i < connections ? Produce : Consume, (void*)i))
      Fail("thread");
  }

  pthread_barrier_wait(&start_line);
  const double began = Now();
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  const double seconds = Now() - began;

  free(ids);
  return seconds;
}

int main(int argc, char** argv) {
  if (argc != 7 || (strcmp(argv[1], "send") && strcmp(argv[1], "cycle"))) {
    fprintf(stderr, "usage: rabbit_bench send|cycle PORT CONNECTIONS WINDOW SIZE MESSAGES\n");
    return 2;
  }
  port = atoi(argv[2]);
  connections = atoi(argv[3]);
  window = atol(argv[4]);
  size = (size_t)atol(argv[5]);
  messages = atol(argv[6]);

  MakeEmptyQueue();
  const double seconds = Run(strcmp(argv[1], "cycle") == 0);
  printf(
      "{\"peer\": \"rabbitmq\", \"mode\": \"%s\", \"connections\": %d, \"window\": %ld, \"size\": "
      "%zu, "
      "\"messages\": %ld, \"seconds\": %.3f, \"messages_per_second\": %.0f}\n",
      argv[1], connections, window, size, messages, seconds, (double)messages / seconds);
  MakeEmptyQueue();
  return 0;
}
