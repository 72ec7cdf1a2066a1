// amqp_bench: the work of `wharf bench` over AMQP 1.0, with Proton's C engine, for whoever speaks
// it.
//
//   amqp_bench [--websocket] send|cycle|latency PORT ADDRESS CONNECTIONS WINDOW SIZE MESSAGES
//
// CONNECTIONS senders with at most WINDOW messages each whose outcome they have not heard. `cycle`
// adds as many receivers, each on a connection of its own, with WINDOW as credit, who accept every
// message by itself. `latency` sends one at a time on one connection, whatever CONNECTIONS and
// WINDOW say. ADDRESS is there, and empty. One thread for each connection. Logs in by
// SASL ANONYMOUS. With --websocket PORT speaks HTTP, and each connection becomes a WebSocket: what
// Proton would write at once is a message, masked as RFC 6455 wants it. Prints one line of JSON.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <proton/connection.h>
#include <proton/connection_driver.h>
#include <proton/delivery.h>
#include <proton/link.h>
#include <proton/sasl.h>
#include <proton/session.h>
#include <proton/terminus.h>
#include <proton/transport.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char kName[] = "amqp_bench";
#include "bench_work.h"

enum { kPatienceMs = 20, kBytesMax = 1 << 20 };
// Of a WebSocket.
enum { kFrameBytesMax = 64 << 10, kHeadBytesMax = 14, kFinalBinary = 0x82, kClose = 0x88 };

// Constant once the threads run.
static bool over_websocket;
static const char* address;
static char* message;
static size_t message_size;

// Of a connection that is one: the frame that is being written, and where in a frame what was read
// ends.
typedef struct {
  uint8_t frame[kHeadBytesMax + kFrameBytesMax];
  size_t frame_size;
  size_t frame_sent;
  uint8_t head[kHeadBytesMax];
  size_t head_size;
  uint64_t left;
} WebSocket;

typedef struct {
  int socket;
  WebSocket* web;
  pn_connection_driver_t driver;
  pn_link_t* link;
  bool is_open;
  bool is_closed;
  // Of a sender.
  long share;
  long sent;
  long heard;
  // Of a receiver.
  char* received;
  long granted;
} Client;

static void FailFor(pn_condition_t* reason) {
  const char* const description = pn_condition_get_description(reason);
  fprintf(stderr, "amqp_bench: %s: %s\n", pn_condition_get_name(reason),
          description ? description : "");
  exit(1);
}

// A header that says durable, and one section of data.
static void MakeMessage(void) {
  static const unsigned char kHead[] = {0x00, 0x53, 0x70, 0xc0, 0x02, 0x01,
                                        0x41, 0x00, 0x53, 0x75, 0xb0};
  message_size = sizeof kHead + 4 + size;
  message = malloc(message_size);
  memcpy(message, kHead, sizeof kHead);
  const uint32_t length = htonl((uint32_t)size);
  memcpy(message + sizeof kHead, &length, sizeof length);
  memset(message + sizeof kHead + sizeof length, 'x', size);
}

static void Upgrade(Client* client) {
  static const char kRequest[] =
      "GET /$servicebus/websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n\r\n";
  char answer[1024] = "";
  size_t size_so_far = 0;
  if (write(client->socket, kRequest, sizeof kRequest - 1) < 0) Fail("the upgrade");
  // Nothing comes behind it: AMQP waits for the client's first word.
  while (!strstr(answer, "\r\n\r\n") && size_so_far < sizeof answer - 1) {
    const ssize_t count =
        read(client->socket, answer + size_so_far, sizeof answer - 1 - size_so_far);
    if (count <= 0) Fail("the upgrade");
    size_so_far += (size_t)count;
  }
  if (strncmp(answer, "HTTP/1.1 101 ", 13) != 0) Fail("the upgrade");
  client->web = calloc(1, sizeof *client->web);
}

static void Connect(Client* client) {
  client->socket = socket(AF_INET, SOCK_STREAM, 0);
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  if (connect(client->socket, (const struct sockaddr*)&to, sizeof to)) Fail("connect");
  const int on = 1;
  setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (over_websocket) Upgrade(client);
  if (pn_connection_driver_init(&client->driver, NULL, NULL)) Fail("the driver");
  pn_connection_t* const connection = client->driver.connection;
  pn_connection_set_hostname(connection, "127.0.0.1");
  pn_connection_set_container(connection, "amqp_bench");
  pn_sasl_t* const sasl = pn_sasl(client->driver.transport);
  pn_sasl_allowed_mechs(sasl, "ANONYMOUS");
}

static void Attach(Client* client, bool is_sender) {
  pn_connection_t* const connection = client->driver.connection;
  pn_connection_open(connection);
  pn_session_t* const session = pn_session(connection);
  pn_session_set_incoming_capacity(session, 16 << 20);
  pn_session_open(session);
  client->link = is_sender ? pn_sender(session, "sender") : pn_receiver(session, "receiver");
  pn_terminus_set_address(is_sender ? pn_link_target(client->link) : pn_link_source(client->link),
                          address);
  pn_link_open(client->link);
}

static void OnSent(Client* client, pn_delivery_t* delivery) {
  const uint64_t outcome = pn_delivery_remote_state(delivery);
  if (outcome == 0) return;
  if (outcome != PN_ACCEPTED) Fail("send");
  pn_delivery_settle(delivery);
  ++client->heard;
}

static void OnReceived(Client* client, pn_delivery_t* delivery) {
  if (!pn_delivery_readable(delivery) || pn_delivery_partial(delivery)) return;
  while (pn_link_recv(client->link, client->received, kBytesMax) > 0) {
  }
  pn_link_advance(client->link);
  pn_delivery_update(delivery, PN_ACCEPTED);
  pn_delivery_settle(delivery);
  --client->granted;
  atomic_fetch_add(&consumed, 1);
}

static void OnEvent(Client* client, pn_event_t* event) {
  switch (pn_event_type(event)) {
    case PN_LINK_REMOTE_OPEN:
      client->is_open = true;
      break;
    case PN_DELIVERY:
      if (pn_link_is_sender(client->link)) {
        OnSent(client, pn_event_delivery(event));
      } else {
        OnReceived(client, pn_event_delivery(event));
      }
      break;
    case PN_LINK_REMOTE_CLOSE:
      if (!client->is_closed) FailFor(pn_link_remote_condition(client->link));
      break;
    case PN_TRANSPORT_ERROR:
      if (!client->is_closed) FailFor(pn_transport_condition(client->driver.transport));
      break;
    case PN_TRANSPORT_CLOSED:
      client->is_closed = true;
      break;
    default:
      break;
  }
}

static void HandleEvents(Client* client) {
  pn_event_t* event;
  while ((event = pn_connection_driver_next_event(&client->driver))) OnEvent(client, event);
}

// Eight bytes at a time; the mask comes twice in it.
static void Mask(uint8_t* bytes, size_t count, uint64_t mask) {
  size_t at = 0;
  for (; at + sizeof mask <= count; at += sizeof mask) {
    uint64_t word;
    memcpy(&word, bytes + at, sizeof word);
    word ^= mask;
    memcpy(bytes + at, &word, sizeof word);
  }
  for (; at < count; ++at) bytes[at] ^= ((const uint8_t*)&mask)[at % sizeof mask];
}

// What Proton would write now, as one message.
static void MakeFrame(WebSocket* web, pn_connection_driver_t* driver) {
  static const uint8_t kMask[] = {0x37, 0xfa, 0x21, 0x3d};
  const pn_bytes_t out = pn_connection_driver_write_buffer(driver);
  const size_t count = out.size < kFrameBytesMax ? out.size : kFrameBytesMax;
  if (count == 0) return;
  uint8_t* to = web->frame;
  *to++ = kFinalBinary;
  if (count < 126) {
    *to++ = (uint8_t)(0x80 | count);
  } else if (count < 1 << 16) {
    *to++ = 0x80 | 126;
    *to++ = (uint8_t)(count >> 8);
    *to++ = (uint8_t)count;
  } else {
    *to++ = 0x80 | 127;
    for (int shift = 56; shift >= 0; shift -= 8) *to++ = (uint8_t)((uint64_t)count >> shift);
  }
  memcpy(to, kMask, sizeof kMask);
  uint64_t mask;
  memcpy(&mask, kMask, sizeof kMask);
  memcpy((uint8_t*)&mask + sizeof kMask, kMask, sizeof kMask);
  memcpy(to + sizeof kMask, out.start, count);
  Mask(to + sizeof kMask, count, mask);
  web->frame_size = (size_t)(to - web->frame) + sizeof kMask + count;
  web->frame_sent = 0;
  pn_connection_driver_write_done(driver, count);
}

// What is to be written: Proton's bytes, or the frame around them.
static pn_bytes_t ToWrite(Client* client) {
  if (!client->web) return pn_connection_driver_write_buffer(&client->driver);
  WebSocket* const web = client->web;
  if (web->frame_sent == web->frame_size) MakeFrame(web, &client->driver);
  return pn_bytes(web->frame_size - web->frame_sent, (const char*)web->frame + web->frame_sent);
}

static void WriteAll(Client* client) {
  for (;;) {
    const pn_bytes_t out = ToWrite(client);
    if (out.size == 0) return;
    const ssize_t count = send(client->socket, out.start, out.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return;
    if (client->web) {
      client->web->frame_sent += (size_t)count;
    } else {
      pn_connection_driver_write_done(&client->driver, (size_t)count);
    }
  }
}

static size_t HeadSize(const WebSocket* web) {
  if (web->head_size < 2) return 2;
  const uint8_t length = web->head[1] & 0x7f;
  return length == 126 ? 4 : length == 127 ? 10 : 2;
}

static void BeginFrame(WebSocket* web) {
  web->left = web->head[1] & 0x7f;
  if (web->head_size > 2) web->left = 0;
  for (size_t i = 2; i < web->head_size; ++i) web->left = web->left << 8 | web->head[i];
  web->head_size = 0;
}

// Takes what carries Proton's bytes out from between them; how many those are.
static size_t Unframe(Client* client, char* bytes, size_t count) {
  WebSocket* const web = client->web;
  size_t kept = 0;
  for (size_t at = 0; at < count;) {
    if (web->left == 0) {
      web->head[web->head_size++] = (uint8_t)bytes[at++];
      const bool is_end = web->head[0] == kClose && client->is_closed;
      if (web->head[0] != kFinalBinary && !is_end) Fail("the WebSocket");
      if (web->head_size == HeadSize(web)) BeginFrame(web);
      continue;
    }
    const size_t piece = web->left < count - at ? (size_t)web->left : count - at;
    if (web->head[0] == kFinalBinary) {
      memmove(bytes + kept, bytes + at, piece);
      kept += piece;
    }
    at += piece;
    web->left -= piece;
  }
  return kept;
}

static void ReadSome(Client* client) {
  const pn_rwbytes_t in = pn_connection_driver_read_buffer(&client->driver);
  if (in.size == 0) return;
  const ssize_t count = recv(client->socket, in.start, in.size, MSG_DONTWAIT);
  if (count == 0) {
    pn_connection_driver_read_close(&client->driver);
  } else if (count > 0) {
    const size_t kept = client->web ? Unframe(client, in.start, (size_t)count) : (size_t)count;
    if (kept > 0) pn_connection_driver_read_done(&client->driver, kept);
  }
}

// Writes what there is, waits for what comes and handles it.
static void Turn(Client* client) {
  WriteAll(client);
  struct pollfd wish = {.fd = client->socket, .events = POLLIN};
  if (ToWrite(client).size > 0) wish.events |= POLLOUT;
  poll(&wish, 1, kPatienceMs);
  if (wish.revents & (POLLIN | POLLHUP | POLLERR)) ReadSome(client);
  HandleEvents(client);
}

static void Open(Client* client, bool is_sender) {
  Connect(client);
  Attach(client, is_sender);
  while (!client->is_open || (is_sender && pn_link_credit(client->link) == 0)) Turn(client);
}

static void Close(Client* client) {
  pn_connection_close(client->driver.connection);
  client->is_closed = true;
  while (!pn_connection_driver_finished(&client->driver) &&
         !(pn_connection_state(client->driver.connection) & PN_REMOTE_CLOSED)) {
    Turn(client);
  }
  WriteAll(client);
  pn_connection_driver_destroy(&client->driver);
  free(client->web);
  close(client->socket);
}

static void SendOne(Client* client) {
  const long number = client->sent++;
  pn_delivery(client->link, pn_dtag((const char*)&number, sizeof number));
  pn_link_send(client->link, message, message_size);
  pn_link_advance(client->link);
}

static void* Produce(void* index) {
  Client client = {.share = Share((long)index)};
  Open(&client, true);
  pthread_barrier_wait(&start_line);
  while (client.heard < client.share) {
    while (client.sent < client.share && client.sent - client.heard < window &&
           pn_link_credit(client.link) > 0) {
      SendOne(&client);
    }
    Turn(&client);
  }
  Close(&client);
  return NULL;
}

static void* Consume(void* unused) {
  (void)unused;
  Client client = {.received = malloc(kBytesMax)};
  Open(&client, false);
  pthread_barrier_wait(&start_line);
  while (atomic_load(&consumed) < messages) {
    // After all that came, as Proton's own handlers do.
    if (client.granted < window) {
      pn_link_flow(client.link, (int)(window - client.granted));
      client.granted = window;
    }
    Turn(&client);
  }
  Close(&client);
  free(client.received);
  return NULL;
}

static void MeasureLatency(void) {
  Client client = {.share = messages};
  Open(&client, true);
  double* const took = malloc((size_t)messages * sizeof *took);
  while (client.heard < messages) {
    const double began = Now();
    SendOne(&client);
    while (client.heard < client.sent) Turn(&client);
    took[client.heard - 1] = (Now() - began) * 1e6;
  }
  Close(&client);
  PrintLatency(took);
  free(took);
}

static bool IsMode(const char* mode) {
  return !strcmp(mode, "send") || !strcmp(mode, "cycle") || !strcmp(mode, "latency");
}

int main(int argc, char** argv) {
  over_websocket = argc > 1 && strcmp(argv[1], "--websocket") == 0;
  if (over_websocket) {
    ++argv;
    --argc;
  }
  if (argc != 8 || !IsMode(argv[1])) {
    fprintf(stderr,
            "usage: amqp_bench [--websocket] send|cycle|latency PORT ADDRESS CONNECTIONS WINDOW "
            "SIZE MESSAGES\n");
    return 2;
  }
  port = atoi(argv[2]);
  address = argv[3];
  ReadWork(argv + 4);

  MakeMessage();
  if (strcmp(argv[1], "latency") == 0) {
    MeasureLatency();
  } else {
    const bool is_cycle = strcmp(argv[1], "cycle") == 0;
    PrintRate(argv[1], Run(Produce, is_cycle ? Consume : NULL));
  }
  free(message);
  return 0;
}
