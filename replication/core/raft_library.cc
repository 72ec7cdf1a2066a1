#include "replication/core/raft_library.h"

#include <dlfcn.h>

#include "replication/core/core_message.h"
#include "storage/base/handover.h"

namespace wharf {
namespace {

Status Unreadable(const char* what) {
  return Status::Damage(std::string("these bytes are no ") + what + " of the raft core");
}

wharf_raft_bytes InTo(std::string& text) {
  return {&text, [](void* self, const void* data, std::size_t size) {
            static_cast<std::string*>(self)->assign(static_cast<const char*>(data), size);
          }};
}

}  // namespace

Result<std::unique_ptr<RaftLibrary>> RaftLibrary::Open(const std::string& path) {
  // Never closed: Go's threads would run where nothing is.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    return Status(ErrorCode::kGeneralError,
                  std::string("the raft core cannot be opened: ") + dlerror());
  }
  Calls calls;
#define WHARF_RAFT_FIND(name, result, parameters)                                            \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, #name));                \
  if (calls.name == nullptr) {                                                               \
    return Status(ErrorCode::kGeneralError, path + " is no raft core of ours: " #name        \
                                                   " is missing; build it with the daemon"); \
  }
  WHARF_RAFT_FUNCTIONS(WHARF_RAFT_FIND)
#undef WHARF_RAFT_FIND
  return std::unique_ptr<RaftLibrary>(new RaftLibrary(calls));
}

void RaftLibrary::Run(const std::function<void()>& body) const {
  // Both ways: what either thread has written is there for the other one.
  struct Passed {
    const std::function<void()>& body;
  } passed{body};
  HandOver(&passed);
  calls_.wharf_raft_run(&passed, [](void* self) {
    TakeOver(self);
    static_cast<Passed*>(self)->body();
    HandOver(self);
  });
  TakeOver(&passed);
}

std::string RaftLibrary::EncodeMembers(const Members& members) const {
  std::string bytes;
  const wharf_raft_bytes to = InTo(bytes);
  calls_.wharf_raft_write_members(members.voters.data(), members.voters.size(),
                                  members.learners.data(), members.learners.size(), &to);
  return bytes;
}

Result<Members> RaftLibrary::DecodeMembers(std::string_view bytes) const {
  Members members;
  const auto add = [](void* self, RaftId node, int is_learner) {
    auto& to = *static_cast<Members*>(self);
    (is_learner != 0 ? to.learners : to.voters).push_back(node);
  };
  if (calls_.wharf_raft_read_members(bytes.data(), bytes.size(), &members, add) == 0) {
    return Unreadable("members");
  }
  return members;
}

std::string RaftLibrary::EncodeMemberChange(const MemberChange& change) const {
  std::string entry;
  const wharf_raft_bytes to = InTo(entry);
  calls_.wharf_raft_write_member(static_cast<int>(change.kind), change.node, change.context.data(),
                                 change.context.size(), &to);
  return entry;
}

Result<MemberChange> RaftLibrary::DecodeMemberChange(std::string_view entry) const {
  MemberChange change;
  int kind = 0;
  const wharf_raft_bytes to = InTo(change.context);
  if (calls_.wharf_raft_read_member(entry.data(), entry.size(), &kind, &change.node, &to) == 0) {
    return Unreadable("change of members");
  }
  change.kind = static_cast<MemberChange::Kind>(kind);
  return change;
}

Result<RaftSnapshot> RaftLibrary::DecodeSnapshot(const SharedBytes& message) const {
  const std::optional<CoreMessage> decoded = DecodeCoreMessage(message);
  if (!decoded) return Unreadable("snapshot");
  RaftSnapshot snapshot;
  wharf_raft_sink sink{};
  sink.self = &snapshot;
  sink.snapshot = [](void* self, std::uint64_t index, std::uint64_t term, const void* members,
                     std::size_t members_size, const void* data, std::size_t size) {
    *static_cast<RaftSnapshot*>(self) = {
        index, term, std::string(static_cast<const char*>(members), members_size),
        std::string(static_cast<const char*>(data), size)};
  };
  const std::string_view words = decoded->words;
  if (calls_.wharf_raft_read_snapshot(words.data(), words.size(), &sink) == 0) {
    return Unreadable("snapshot");
  }
  return snapshot;
}

}  // namespace wharf
