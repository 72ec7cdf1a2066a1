// Settings: what wharfd is told by its file, its environment and its flags. Plain values: made by
// ReadConfiguration, used by main.cc and the daemon. The values here are the defaults.
#pragma once

#include <string>
#include <vector>

#include "broker/engine/shard_limits.h"
#include "storage/disk/space_keeper.h"

namespace wharf::config {

struct Settings {
  std::string data;
  std::vector<std::string> listen = {"127.0.0.1:5680"};
  std::vector<std::string> http_hosts;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;
  std::string tls_client_cert = "required";
  std::string access = "auto";
  std::vector<std::string> client_rules;
  std::vector<std::string> jwt_keys;
  std::string jwt_issuer;
  std::string jwt_audience;
  std::string jwt_claim = "sub";
  std::string advertise;
  // "off", "on", or the file whose entities there shall be (broker/emulator).
  std::string emulator = "off";
  // Over AMQP also what JMS 2.0 has and Service Bus's SDKs have not.
  bool jms = false;
  // The data folder is of the process, and goes with it.
  bool ephemeral = false;
  // Of a node of a cluster; empty: the broker runs by itself.
  std::string node;
  std::string peer_listen = "127.0.0.1:5690";
  std::string peer_advertise;
  std::string peer_ca;
  std::string peer_cert;
  std::string peer_key;
  std::uint64_t peer_log_bytes_max = std::uint64_t{1} << 30;
  std::uint64_t peer_snapshot_rate = std::uint64_t{64} << 20;
  Duration peer_election_timeout = std::chrono::seconds(1);
  // Of the format of log and state; 0: all that this version knows.
  std::uint64_t peer_format_level_max = 0;
  // Of the disk, with which the node may lead though another one has more.
  std::uint64_t free_bytes_to_lead = std::uint64_t{256} << 20;
  // Below which backups lie; empty: none are made.
  std::string backup_folder;
  // The certificate that backups and the archive are encrypted to; empty: they are in the clear.
  std::string backup_encrypt_to;
  // Read of the state and written into a backup, in a second.
  std::uint64_t backup_rate = std::uint64_t{64} << 20;
  // Of committed batches that are kept below it; 0: none are.
  std::uint64_t archive_bytes = 0;
  bool insecure = false;
  bool accept_clock = false;
  std::string clock = "system";
  // How long lies between compactions that nothing asked for, for tests; 0: there are none.
  Duration compact_at_random{};
  std::string log_level = "info";
  std::string log_format = "text";
  std::string trace_otlp_endpoint;
  std::string trace_otlp_ca;
  std::string trace_file;
  std::string trace_sample = "parent";
  // Of gRPC, over all listeners, and as many of AMQP (QUO-6).
  std::size_t connections_max = 5000;
  // Of AMQP (LNK-6); 0: a link stays however long nothing is done on it.
  Duration amqp_link_idle_time{};
  // Of Service Bus over HTTP.
  std::size_t http_connections_max = 5000;
  std::uint64_t http_head_bytes_max = 64 * 1024;
  std::uint64_t http_body_bytes_max = 1024 * 1024;
  Duration http_head_time = std::chrono::seconds(10);
  Duration http_body_time = std::chrono::seconds(60);
  Duration http_idle_time = std::chrono::seconds(120);
  std::size_t http_requests_max = 1'000'000;
  std::uint64_t http_outgoing_bytes_max = std::uint64_t{256} << 20;
  ShardLimits limits;
  SpaceLimits space;

  bool has_node() const { return !node.empty(); }
  bool archives() const { return archive_bytes > 0; }
  bool is_emulator() const { return emulator != "off"; }
  // Empty: none.
  std::string emulator_file() const {
    return is_emulator() && emulator != "on" ? emulator : std::string();
  }
  bool traces() const { return !trace_otlp_endpoint.empty() || !trace_file.empty(); }
  bool has_manual_clock() const { return clock == "manual"; }
  // Whether who comes in over TLS has a certificate that is believed.
  bool requires_certificates() const {
    return !tls_client_ca.empty() && tls_client_cert == "required";
  }
};

}  // namespace wharf::config
