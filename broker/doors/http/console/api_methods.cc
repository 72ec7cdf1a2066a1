#include "broker/doors/http/console/api_methods.h"

#include <algorithm>
#include <array>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <wharf/v1/backups.pb.h>
#include <wharf/v1/clock.pb.h>
#include <wharf/v1/cluster.pb.h>
#include <wharf/v1/management.pb.h>
#include <wharf/v1/messaging.pb.h>
#include <wharf/v1/sessions.pb.h>
#include <wharf/v1/topics.pb.h>
#include <wharf/v1/transactions.pb.h>

namespace wharf::console {
namespace {

using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

const absl::string_view kPrefix(kApiPrefix.data(), kApiPrefix.size());

// One message of each file that has services leads to the file.
std::vector<const FileDescriptor*> Files() {
  return {v1::BackupWork::descriptor()->file(),      v1::ClockTime::descriptor()->file(),
          v1::ClusterStatus::descriptor()->file(),   v1::QueueProperties::descriptor()->file(),
          v1::SendRequest::descriptor()->file(),     v1::AcceptedSession::descriptor()->file(),
          v1::TopicProperties::descriptor()->file(), v1::Transaction::descriptor()->file()};
}

bool IsUnary(const MethodDescriptor& method) {
  return !method.client_streaming() && !method.server_streaming();
}

// Each answers them for itself, whoever leads.
bool IsOfEveryNode(const ServiceDescriptor& service) {
  return service.name() == "Cluster" || service.name() == "Backups";
}

// Looks, lists and what is received by number; a Receive mostly waits.
bool IsLong(const MethodDescriptor& method) {
  constexpr std::array<const char*, 8> kBegins = {"Peek",
                                                  "List",
                                                  "TraceMessage",
                                                  "ExportBySequenceNumber",
                                                  "ReceiveDeferred",
                                                  "ReceiveBySequenceNumber",
                                                  "GetSessionState",
                                                  "EvaluateRule"};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](const char* begin) { return absl::StartsWith(method.name(), begin); });
}

struct Table {
  std::vector<ApiMethod> unary;
  std::vector<ApiMethod> streams;
};

void Add(const ServiceDescriptor& service, Table& table) {
  for (int i = 0; i < service.method_count(); ++i) {
    const MethodDescriptor& method = *service.method(i);
    (IsUnary(method) ? table.unary : table.streams)
        .push_back({.descriptor = &method,
                    .path = absl::StrCat(kPrefix, service.name(), "/", method.name()),
                    .grpc_path = absl::StrCat("/", service.full_name(), "/", method.name()),
                    .is_of_every_node = IsOfEveryNode(service),
                    .is_long = IsLong(method)});
  }
}

void Sort(std::vector<ApiMethod>& methods) {
  std::sort(methods.begin(), methods.end(),
            [](const ApiMethod& one, const ApiMethod& other) { return one.path < other.path; });
}

Table MakeTable() {
  Table table;
  for (const FileDescriptor* file : Files()) {
    for (int i = 0; i < file->service_count(); ++i) Add(*file->service(i), table);
  }
  Sort(table.unary);
  Sort(table.streams);
  return table;
}

const Table& TheTable() {
  static const Table kTable = MakeTable();
  return kTable;
}

const ApiMethod* Find(const std::vector<ApiMethod>& all, std::string_view path) {
  const auto found = std::lower_bound(
      all.begin(), all.end(), path,
      [](const ApiMethod& method, std::string_view wanted) { return method.path < wanted; });
  return found == all.end() || found->path != path ? nullptr : &*found;
}

}  // namespace

const std::vector<ApiMethod>& ApiMethods() { return TheTable().unary; }
const std::vector<ApiMethod>& ApiStreams() { return TheTable().streams; }

const ApiMethod* FindApiMethod(std::string_view path) { return Find(ApiMethods(), path); }
const ApiMethod* FindApiStream(std::string_view path) { return Find(ApiStreams(), path); }

}  // namespace wharf::console
