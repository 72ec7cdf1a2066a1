#include "tools/client/backups.h"

#include <utility>

namespace wharf::client {
namespace {

using Stub = v1::Backups::Stub;

template <typename Request, typename Response>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

template <typename Request, typename Response>
Result<Response> AskFirst(Endpoints& endpoints, Method<Request, Response> method,
                          const Request& request, Duration timeout) {
  Response response;
  Status status = Endpoints::AskOne(
      *endpoints.first(), timeout, [&](Endpoint& endpoint, grpc::ClientContext& context) {
        return (endpoint.stub<Stub>().*method)(&context, request, &response);
      });
  if (!status.ok()) return status;
  return response;
}

}  // namespace

Backups::Backups(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::BackupWork> Backups::Create(const std::string& label, const std::string& encrypt_to) {
  v1::CreateBackupRequest request;
  request.set_label(label);
  request.set_encrypt_to(encrypt_to);
  return AskFirst(*endpoints_, &Stub::Create, request, timeout_);
}

Result<v1::BackupWork> Backups::Verify(const std::string& label) {
  v1::VerifyBackupRequest request;
  request.set_label(label);
  return AskFirst(*endpoints_, &Stub::Verify, request, timeout_);
}

Result<v1::BackupWork> Backups::Prune(std::uint64_t keep) {
  v1::PruneBackupsRequest request;
  request.set_keep(keep);
  return AskFirst(*endpoints_, &Stub::Prune, request, timeout_);
}

Result<v1::BackupWork> Backups::GetWork(std::uint64_t id) {
  v1::GetBackupWorkRequest request;
  request.set_id(id);
  return AskFirst(*endpoints_, &Stub::GetWork, request, timeout_);
}

Result<v1::ListBackupsResponse> Backups::List() {
  return AskFirst(*endpoints_, &Stub::List, v1::ListBackupsRequest(), timeout_);
}

}  // namespace wharf::client
