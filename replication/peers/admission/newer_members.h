// NewerMembers: nodes that are of the cluster by a list of members that is newer than this node's
// own: it lags, and the entry that would tell it of them may come from nobody but them. They are
// taken at their word until this node knows the list of then, and are members or not.
//
// Owned by Peers, under its lock. Plain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "replication/peers/member.h"

namespace wharf {

class NewerMembers {
 public:
  // As many as a cluster has at most: nobody who lags misses more of them.
  static constexpr std::size_t kMax = 16;

  // Who is a member as of this entry of the log; of each name, which is what is proven, one. False:
  // there are too many.
  bool Take(Member member, std::uint64_t as_of) {
    std::erase_if(newer_, [&](const Newer& newer) {
      return newer.member.node == member.node || newer.member.name == member.name;
    });
    if (newer_.size() >= kMax) return false;
    newer_.push_back({std::move(member), as_of});
    return true;
  }

  // This node knows them now.
  void Forget(const std::vector<Member>& members) {
    std::erase_if(newer_, [&members](const Newer& newer) {
      return std::any_of(members.begin(), members.end(), [&newer](const Member& member) {
        return member.node == newer.member.node;
      });
    });
  }

  // Those who said no more than what this node knows by now. False: there were none.
  bool ForgetUpTo(std::uint64_t as_of) {
    return std::erase_if(newer_, [as_of](const Newer& newer) { return newer.as_of <= as_of; }) != 0;
  }
  // Somebody leads, and tells this node who is a member. False: there was none but that one.
  bool ForgetAllBut(NodeId leader) {
    return std::erase_if(newer_,
                         [leader](const Newer& newer) { return newer.member.node != leader; }) != 0;
  }

  std::vector<Member> members() const {
    std::vector<Member> members;
    for (const Newer& newer : newer_) members.push_back(newer.member);
    return members;
  }

 private:
  struct Newer {
    Member member;
    std::uint64_t as_of = 0;
  };

  std::vector<Newer> newer_;
};

}  // namespace wharf
