#include "broker/config/keys.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <absl/strings/ascii.h>

#include "storage/base/nearest_word.h"

namespace wharf::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kTiB = kMiB << 20;

constexpr std::string_view kAccess[] = {"auto", "on", "off"};
constexpr std::string_view kClocks[] = {"system", "manual"};
constexpr std::string_view kClientCertificates[] = {"required", "optional"};
constexpr std::string_view kLogLevels[] = {"debug", "info", "warning", "error"};
constexpr std::string_view kLogFormats[] = {"text", "json"};

constexpr std::string_view kTraceSamples[] = {"parent", "all"};

constexpr bool kReloaded = true;
constexpr bool kAtStart = false;

constexpr Key kKeys[] = {
    {"data", Text{{[](Settings& s) { return &s.data; }}, "/var/lib/wharf"}, kAtStart,
     "The data folder, needed. A new or empty one becomes a broker's; only the last folder of the "
     "path is made, with mode 700, so that a disk that is not mounted is noticed. A folder with "
     "files of others is refused"},
    {"listen", Addresses{{{[](Settings& s) { return &s.listen; }}}}, kAtStart,
     "Where it listens: 127.0.0.1, [::1], or localhost, which means 127.0.0.1; port 0 takes any "
     "free one. There clients find it by gRPC, behind grpc+tls:// with TLS; behind amqp:// or "
     "amqp+tls:// it is AMQP 1.0, for the SDKs of Service Bus on 5672 and 5671; behind "
     "servicebus:// or servicebus+tls:// it is HTTP as the REST API of Service Bus has it, and "
     "AMQP "
     "over WebSockets; behind operations:// or operations+tls:// it is HTTP with /livez, /readyz "
     "and /metrics; behind console:// or console+tls:// it is HTTP with a page for people, and the "
     "gRPC API as JSON for scripts. unix:/PATH instead of an address is a socket for this user "
     "alone. Several "
     "stand in an array, in a "
     "variable with commas; the flag may come again. Addresses that other machines can reach need "
     "TLS and access = on, for operations that or tls-client-ca; insecure lets them do without"},
    {"http-hosts", HostNames{{{[](Settings& s) { return &s.http_hosts; }}}}, kAtStart,
     "Names or addresses by which HTTP may be asked, beside localhost and the addresses of "
     "loopback. Requests for others are refused, so that no page in a browser can use the broker; "
     "but not those that prove by a token who they are"},
    {"tls-cert", File{{[](Settings& s) { return &s.tls_cert; }}}, kAtStart,
     "The certificate of listeners with TLS, in PEM, with those between it and its authority "
     "behind "
     "it. The file is read again when it changes and at a reload, without ending a connection; "
     "what "
     "is wrong then changes nothing and is told"},
    {"tls-key", File{{[](Settings& s) { return &s.tls_key; }}}, kAtStart,
     "Its private key, in PEM without a password; read again with the certificate. The log warns "
     "where others than its owner and its group can read it"},
    {"tls-client-ca", File{{[](Settings& s) { return &s.tls_client_ca; }}}, kAtStart,
     "The authorities whose certificates clients of listeners with TLS prove themselves with, in "
     "PEM; read again with the certificate. Without it clients have none"},
    {"tls-client-cert",
     Choice{{[](Settings& s) { return &s.tls_client_cert; }}, kClientCertificates}, kAtStart,
     "With tls-client-ca: whether a client must have a certificate; what it has must be good in "
     "any "
     "case"},
    {"access", Choice{{[](Settings& s) { return &s.access; }}, kAccess}, kAtStart,
     "Whether clients must prove who they are, with shared access signatures. auto: on if the "
     "folder has access rules, else off. on: at the first start it makes the rule "
     "RootManageSharedAccessKey, and writes its connection string to the file "
     "root-connection-string in the data folder, for nobody else to read; on a node wharf cluster "
     "init does that. off: whoever reaches wharfd may do everything; a folder that has rules is "
     "opened so by the flag --access=off only, and the log says so at every start; a node to which "
     "rules come obeys them unless that flag is there"},
    {"client-rules", Clients{{{[](Settings& s) { return &s.client_rules; }}}}, kReloaded,
     "Where access is on: which rule a client has that sends no token and proves who it is with a "
     "certificate, as certificate:CN=shop,O=x -> sender; before the name of a rule of a queue or a "
     "topic stands that and #: orders#sender. The subject is written as openssl x509 -noout "
     "-subject -nameopt RFC2253 prints it, behind subject=. A client that is not named has no "
     "right. "
     "Several stand in an array, in a variable with semicolons; the flag may come again. One that "
     "is "
     "taken away, or whose rule is removed, ends what it proved within a second"},
    {"jwt-keys", TokenKeys{{{[](Settings& s) { return &s.jwt_keys; }}}}, kReloaded,
     "Where access is on: with what JSON web tokens are signed that clients may send as Bearer. "
     "Before the file stand the kid of the tokens (nothing: of those that have none) and their "
     "algorithm: RS256 and ES256 with a public key in PEM, HS256 with a secret of 32 bytes or more "
     "in "
     "a file of mode 0600. The files are read again at a reload. jwt-issuer and jwt-audience say "
     "what "
     "else must stand in the tokens; exp must, too"},
    {"jwt-issuer", Words{{[](Settings& s) { return &s.jwt_issuer; }}}, kReloaded,
     "The iss of JSON web tokens that are believed"},
    {"jwt-audience", Words{{[](Settings& s) { return &s.jwt_audience; }}}, kReloaded,
     "The aud of JSON web tokens that are for this broker"},
    {"jwt-claim", Words{{[](Settings& s) { return &s.jwt_claim; }}}, kReloaded,
     "The claim that says who the client is; client-rules gives its text a rule, as claim:shop -> "
     "orders#sender"},
    {"advertise", Authority{{[](Settings& s) { return &s.advertise; }}}, kAtStart,
     "The host, with a port or that of the first listener of gRPC, by which clients find the "
     "broker: "
     "what connection strings say. Without it that listener's own address, if it is one; 0.0.0.0 "
     "and "
     "[::] are none, and where one is needed wharfd says so"},
    {"emulator", SwitchWithFile{{[](Settings& s) { return &s.emulator; }}}, kAtStart,
     "Stand in for the emulator of Service Bus: any key opens, and where listen says nothing it "
     "listens at 127.0.0.1:5680, for AMQP at 127.0.0.1:5672 and for HTTP at 127.0.0.1:5300, where "
     "GET /health tells how it is. The file is the Config.json of that emulator: before clients "
     "come its entities are made, or changed to what it says; what it does not name stays. A "
     "folder that has access rules is refused"},
    {"ephemeral", Switch{{[](Settings& s) { return &s.ephemeral; }}}, kAtStart,
     "Of emulator: instead of data a new folder below TMPDIR, or /tmp, which goes with the "
     "process. After a kill -9 the next start with ephemeral removes it"},
    {"jms", Switch{{[](Settings& s) { return &s.jms; }}}, kAtStart,
     "Serve JMS 2.0 clients over AMQP: topic subscriptions that their consumers make, with "
     "selectors, temporary queues and topics, browsers, delivery delay, producers without a "
     "destination, and client ids that one connection has alone. It makes entities that nobody "
     "asked for by name. What goes with its consumer or its connection and was left by a kill -9 "
     "is removed when a broker starts with it, or another node leads"},
    {"node", Words{{[](Settings& s) { return &s.node; }}}, kAtStart,
     "The name of this machine's node in a cluster: small letters, digits, - and . It may never "
     "change. A folder without a cluster waits then to be invited, or for wharf cluster init. "
     "Empty: the broker runs by itself"},
    {"peer-listen", Authority{{[](Settings& s) { return &s.peer_listen; }}, /*is_told=*/false},
     kAtStart,
     "The address and port at which the other nodes of the cluster find this one; of node only"},
    {"peer-advertise", Authority{{[](Settings& s) { return &s.peer_advertise; }}}, kAtStart,
     "The host and port that the other nodes are told instead of peer-listen: needed where that is "
     "0.0.0.0 or [::]"},
    {"peer-ca", File{{[](Settings& s) { return &s.peer_ca; }}}, kAtStart,
     "The authority of the cluster, in PEM: nodes believe nobody else, and it vouches for no "
     "client. The three files are read again when they change. Where none of them is named and "
     "peer-listen and peer-advertise are of this machine alone, they are those of this user, in "
     "~/.config/wharf/peers, and made there if need be"},
    {"peer-cert", File{{[](Settings& s) { return &s.peer_cert; }}}, kAtStart,
     "The certificate of this node, in PEM, which names it wharf://node/NAME"},
    {"peer-key", File{{[](Settings& s) { return &s.peer_key; }}}, kAtStart,
     "Its private key, in PEM without a password"},
    {"peer-log-bytes-max",
     Size{{[](Settings& s) { return &s.peer_log_bytes_max; }}, kMiB, kTiB, "MiB"}, kAtStart,
     "What the node keeps of its log at most for nodes that are away: who lacks more is sent a "
     "snapshot of all data when it comes back"},
    {"peer-snapshot-rate",
     Size{{[](Settings& s) { return &s.peer_snapshot_rate; }}, kMiB, kTiB, "MiB"}, kAtStart,
     "What is taken of a snapshot in a second, by a node that needs one"},
    {"peer-election-timeout",
     Time{{[](Settings& s) { return &s.peer_election_timeout; }}, milliseconds(200), seconds(60)},
     kAtStart,
     "For how long a leader says nothing until another one is elected. Longer than the slowest "
     "sync "
     "of a disk, and the same on all nodes: shorter ends leaderships that are well, longer is what "
     "clients wait for when a machine dies"},
    {"peer-format-level-max",
     Number{{[](Settings& s) { return &s.peer_format_level_max; }}, 0, 1000}, kAtStart,
     "While a node says so, its cluster writes nothing above this level of the format, so that it "
     "can go back to an older version of wharfd. 0: a cluster writes all that its members know"},
    {"min-free-disk-to-lead",
     Size{{[](Settings& s) { return &s.free_bytes_to_lead; }}, kMiB, 1024 * kTiB, "MiB"}, kAtStart,
     "The node hands leadership over while less of its disk is free, beside a segment of its log "
     "(64MiB, or an eighth of peer-log-bytes-max), or less than one and a half times what "
     "min-free-disk leaves: to a node whose disk has room. Where there is none it goes on leading. "
     "Of node only"},
    {"backup-folder", File{{[](Settings& s) { return &s.backup_folder; }}}, kAtStart,
     "The folder below which wharf backup keeps backups of this broker, or of this node of a "
     "cluster, each in a folder of its own, for nobody else to read: they have all messages and "
     "all "
     "keys. It is made with mode 700; on another disk than data it outlives that one. Two brokers "
     "do not share one. Empty: there are no backups"},
    {"backup-encrypt-to", File{{[](Settings& s) { return &s.backup_encrypt_to; }}}, kAtStart,
     "A certificate, in PEM: backups that name no other, and all that is archived, are encrypted "
     "to it, and wharfd restore needs its private key, which must not lie on this machine. Of an "
     "RSA key of 2048 bits or more, or of a key on P-256, P-384 or P-521. Empty: they are in the "
     "clear, unless wharf backup create --encrypt-to says otherwise"},
    {"backup-rate", Size{{[](Settings& s) { return &s.backup_rate; }}, kMiB, kTiB, "MiB"}, kAtStart,
     "What a backup reads and writes in a second, so that clients do not wait for it. While it "
     "copies, files that are compacted meanwhile stay on the disk of data as well"},
    {"archive-bytes", Size{{[](Settings& s) { return &s.archive_bytes; }}, 0, 1024 * kTiB, "MiB"},
     kAtStart,
     "So much of what is committed is archived below backup-folder, the oldest going first, so "
     "that "
     "wharfd restore --until brings a backup to any moment behind it. No commit waits for that: "
     "what "
     "the disk does not take in time is missing, and told. At least 16MiB; 0B: nothing is "
     "archived"},
    {"insecure", Switch{{[](Settings& s) { return &s.insecure; }}}, kAtStart,
     "Listen beyond this machine although there is no TLS or access is not on: whoever reaches the "
     "port may read what is sent, or do everything. The log says so at every start, and so do "
     "/readyz and /metrics"},
    {"log-level", Choice{{[](Settings& s) { return &s.log_level; }}, kLogLevels}, kReloaded,
     "What is written to stderr. error: why wharfd ends; warning: also what slows it down or may "
     "soon fail, slow commits for example; info: also start, stop, and who makes, changes, "
     "deletes or purges entities and rules; debug: also clients that connect, requests that are "
     "refused, and "
     "what gRPC has to say"},
    {"log-format", Choice{{[](Settings& s) { return &s.log_format; }}, kLogFormats}, kReloaded,
     "How it is written. text: time, level and sentence; json: an object a line, with time, level "
     "and message, and where the line is about them entity, client, rule, tracking_id and "
     "trace_id"},
    {"slow-operation",
     Time{{[](Settings& s) { return &s.limits.slow_operation; }}, milliseconds(1), hours(1)},
     kReloaded,
     "What was asked and took as long until it was answered is told the log, with its parts: how "
     "long it waited for its turn, was planned, synced, and until it was told. A line a second, "
     "with how many more there were"},
    {"trace-otlp-endpoint", Endpoint{{[](Settings& s) { return &s.trace_otlp_endpoint; }}},
     kAtStart,
     "A receiver of OpenTelemetry's protocol over HTTP, in JSON, for spans of messages that say "
     "which trace they belong to, in their property traceparent or Diagnostic-Id: of their sends, "
     "of how long they waited, and of each delivery. Without a path it is /v1/traces. What it does "
     "not take within 2s is dropped and counted; no client ever waits for it. Empty: none"},
    {"trace-otlp-ca", File{{[](Settings& s) { return &s.trace_otlp_ca; }}}, kAtStart,
     "The authority that vouches for that receiver, in PEM, where it is reached by https. Empty: "
     "one of those that this machine believes"},
    {"trace-file", File{{[](Settings& s) { return &s.trace_file; }}}, kAtStart,
     "A file for the same spans, a request of that protocol a line, as the file exporter of "
     "OpenTelemetry's collector writes it. It is opened anew for each line, so it can be moved "
     "away at any time. Empty: none"},
    {"trace-sample", Choice{{[](Settings& s) { return &s.trace_sample; }}, kTraceSamples}, kAtStart,
     "Of which messages spans are made, if they say a trace. parent: of those whose sender "
     "records it, by the flag of traceparent; all: of those that it does not record, too"},
    {"metrics-histograms", EntityPaths{{{[](Settings& s) { return &s.limits.timed_entities; }}}},
     kReloaded,
     "Queues, topics and subscriptions of which /metrics has histograms of their own: how long "
     "sends and settlements take, and how long messages wait. At most 20. Several stand in an "
     "array, in a variable with commas; the flag may come again"},
    {"min-free-disk",
     Size{{[](Settings& s) { return &s.space.free_bytes_min; }}, kMiB, 1024 * kTiB, "MiB"},
     kReloaded,
     "What sends leave free of the disk, beside what the store needs to go on: what it holds in "
     "memory and its largest compaction. Below that they are refused with QuotaExceeded; "
     "receiving, settling, purging and deleting go on and make room"},
    {"reclaim-rate",
     Size{{[](Settings& s) { return &s.space.returns.bytes_per_second; }}, 0, kTiB, "MiB"},
     kAtStart,
     "What is read and written in a second to give back the space of what expired, was purged or "
     "deleted; twice as much while the disk is nearly full. 0B: it comes back only with the "
     "compactions that come anyway"},
    {"max-connections", Number{{[](Settings& s) { return &s.connections_max; }}, 1, 1000000},
     kReloaded,
     "Connections of gRPC that may be open at a time, over all listeners, and as many of AMQP. One "
     "too many is closed at once: its client of gRPC hears UNAVAILABLE, and tries again. HTTP does "
     "not count"},
    {"amqp-link-idle-time",
     Time{{[](Settings& s) { return &s.amqp_link_idle_time; }}, milliseconds(0), hours(24)},
     kReloaded,
     "For how long a link of AMQP stays on which nothing is sent, received, settled or renewed; "
     "then it is detached with amqp:link:detach-forced, as Service Bus does after 10m. 0s: for "
     "ever, so that a receiver that works long on a message keeps its link"},
    {"http-max-connections",
     Number{{[](Settings& s) { return &s.http_connections_max; }}, 1, 1000000}, kAtStart,
     "Connections to servicebus:// that may be open at a time, over all its listeners. When there "
     "are more, the oldest one that waits for nothing ends; if there is none, the new one. "
     "console:// has as many for itself, and the other limits of HTTP but for that of a body"},
    {"http-max-head", Size{{[](Settings& s) { return &s.http_head_bytes_max; }}, 1024, kMiB, "KiB"},
     kAtStart,
     "What the head of a request to servicebus:// may have, with all properties of a message; "
     "more is answered with 431"},
    {"http-max-body",
     Size{{[](Settings& s) { return &s.http_body_bytes_max; }}, 1024, 100 * kMiB, "KiB"}, kAtStart,
     "What the body of a request to servicebus:// may have; more is answered with 403. What an "
     "entity takes may be less. It is in memory as a whole; what is received may be larger, and is "
     "not"},
    {"http-head-time",
     Time{{[](Settings& s) { return &s.http_head_time; }}, milliseconds(10), hours(1)}, kAtStart,
     "Until the head of a request to servicebus:// is there as a whole; then its connection ends"},
    {"http-body-time",
     Time{{[](Settings& s) { return &s.http_body_time; }}, milliseconds(10), hours(1)}, kAtStart,
     "The same of its body"},
    {"http-idle-time",
     Time{{[](Settings& s) { return &s.http_idle_time; }}, milliseconds(10), hours(24)}, kAtStart,
     "For how long a connection to servicebus:// stays at which nothing is asked"},
    {"http-max-requests", Number{{[](Settings& s) { return &s.http_requests_max; }}, 1, 1000000000},
     kAtStart,
     "Requests that one connection to servicebus:// takes before it ends, so that clients spread "
     "anew over several addresses"},
    {"http-max-outgoing",
     Size{{[](Settings& s) { return &s.http_outgoing_bytes_max; }}, kMiB, kTiB, "MiB"}, kAtStart,
     "What answers of servicebus:// hold that their clients have not read; beyond it nothing more "
     "is received, with 503, until they have"},
    {"max-locked-messages",
     Number{{[](Settings& s) { return &s.limits.broker.queue.locked_messages_max; }}, 1, 10000000},
     kReloaded, "Messages that may be locked at a time, per queue and per dead-letter queue"},
    {"max-locked-per-connection",
     Number{{[](Settings& s) { return &s.limits.locked_per_connection_max; }}, 1, 10000000},
     kAtStart,
     "Messages that one connection may have locked, over all its streams and calls; of a queue it "
     "also gets at most nine times what it leaves for others"},
    {"max-entities",
     Number{{[](Settings& s) { return &s.limits.broker.entities_max; }}, 1, 1000000}, kReloaded,
     "Queues and topics that may exist"},
    {"max-namespace-size",
     Size{{[](Settings& s) { return &s.limits.broker.namespace_bytes_max; }}, 0, 1024 * kTiB, "B"},
     kReloaded,
     "What all messages and states of sessions may have together. What is sent and would make them "
     "more is refused with QuotaExceeded; what only moves is not, nor is anything else. 0B: there "
     "is no limit but the disk"},
    {"max-subscriptions",
     Number{{[](Settings& s) { return &s.limits.broker.subscriptions_max; }}, 1, 100000}, kReloaded,
     "Subscriptions that a topic may have"},
    {"max-sql-filters",
     Number{{[](Settings& s) { return &s.limits.rules.sql_filters_max; }}, 1, 100000}, kAtStart,
     "SQL filters that the rules of a topic may have together; each is evaluated for each message. "
     "True and false filters beyond one a subscription count, too. As many rules may have an "
     "action"},
    {"max-correlation-filters",
     Number{{[](Settings& s) { return &s.limits.rules.correlation_filters_max; }}, 1, 10000000},
     kAtStart, "Correlation filters that the rules of a topic may have together"},
    {"max-transaction-messages",
     Number{{[](Settings& s) { return &s.limits.transactions.messages_max; }}, 1, 4500}, kReloaded,
     "Messages that one transaction may send"},
    {"max-transaction-bytes",
     Size{{[](Settings& s) { return &s.limits.transactions.bytes_max; }}, 1024, 64 * kMiB, "B"},
     kReloaded,
     "What one transaction holds of messages, states and properties; more than about 16MiB cannot "
     "come in one call, only step by step"},
    {"transaction-timeout",
     Time{{[](Settings& s) { return &s.limits.transactions.time_max; }}, seconds(1), hours(24)},
     kReloaded, "How long after its begin an open transaction is rolled back"},
    {"max-open-transactions",
     Number{{[](Settings& s) { return &s.limits.transactions.open_max; }}, 1, 1000000}, kReloaded,
     "Transactions open at a time"},
    {"strict-transactions",
     Switch{{[](Settings& s) { return &s.limits.transactions.has_one_entity; }}}, kReloaded,
     "Refuse transactions that span several queues, as Service Bus does"},
    {"accept-clock", Switch{{[](Settings& s) { return &s.accept_clock; }}}, kAtStart,
     "Start although the wall clock is more than a year after the last commit. Without it the "
     "start is refused: a clock that is set wrong would expire messages and locks at once, and "
     "that cannot be taken back. Give it when the clock is right and the broker was off for so "
     "long"},
    {"clock", Choice{{[](Settings& s) { return &s.clock; }}, kClocks}, kAtStart,
     "system; or manual: time stands still until `wharf clock advance` or the service Clock moves "
     "it, for tests of applications"},
    {"max-expired-spans",
     Number{{[](Settings& s) { return &s.limits.broker.queue.lane.spans.spans_max; }}, 1, 256},
     kAtStart,
     "Of messages that expired together a queue keeps one span, until compactions have dropped "
     "them; behind so many, the oldest are given up, and what they hid is deleted at once. Fewer "
     "are for tests of wharfd itself"},
    {"compact-at-random",
     Time{{[](Settings& s) { return &s.compact_at_random; }}, milliseconds(0), hours(1)}, kAtStart,
     "0s; or so often what is in memory is written to files, or not, and something of what is in "
     "them is compacted, as a lot says: for tests of wharfd itself, in which whatever compactions "
     "drop may be missed by nobody"},
};

}  // namespace

std::span<const Key> Keys() { return kKeys; }

const Key* FindKey(std::string_view name) {
  const auto found = std::find_if(std::begin(kKeys), std::end(kKeys),
                                  [&](const Key& key) { return key.name == name; });
  return found == std::end(kKeys) ? nullptr : &*found;
}

std::size_t PlaceOf(const Key& key) { return static_cast<std::size_t>(&key - kKeys); }

std::optional<std::string> NearestKey(std::string_view name) {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return Nearest(name, names);
}

std::string FlagOf(const Key& key) { return "--" + std::string(key.name); }

std::string VariableOf(const Key& key) {
  std::string variable = "WHARFD_";
  for (const char letter : key.name)
    variable += letter == '-' ? '_' : absl::ascii_toupper(static_cast<unsigned char>(letter));
  return variable;
}

}  // namespace wharf::config
