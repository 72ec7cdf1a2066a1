// Claims: what one connection has proven, and what that is worth now.
//
// Three ways to prove something: a token for an audience (put-token; SEC-8, SEC-9), the name and
// key of a rule (SASL PLAIN), which are looked up anew for each path, so that rules of one name may
// stand on several entities, and the certificate of the client. None is believed for longer than it
// holds: who keeps a link asks again. Owned by a ServedConnection, on its strand.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "broker/access/guard.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/requests/caller.h"
#include "storage/base/status.h"

namespace wharf::amqp {

class Claims {
 public:
  // The gate outlives it.
  Claims(const GuardGate& gate, std::string peer, std::size_t count_max);

  // By SASL. What a key is worth is seen at each Prove.
  void KeepKey(std::string rule, std::string key);
  // A key that was said, if it is one of the namespace. That it is none is no fault: it may be of
  // an entity, and is looked at again where it is used.
  void TryKey();
  Status KeepCertificate(std::string_view subject, const TrackingId& tracking_id);

  // By put-token: for an audience, which is a URI of bounded length, and all below it. `type` as
  // put-token has it. A claim for the same audience is replaced.
  Status Put(std::string_view audience, std::string_view type, std::string_view token,
             const TrackingId& tracking_id);

  // What gives one of these rights on the resource now; null where nobody has to prove anything.
  // No rights: what was proven at all.
  Result<access::PermitPtr> Prove(const std::vector<access::Right>& rights,
                                  const std::string& resource, const TrackingId& tracking_id);

  // Whether anything was ever proven, or nobody has to prove anything.
  bool is_proven();
  // A key was said, whatever it is worth.
  bool has_key() const { return key_.has_value(); }
  std::size_t size() const { return by_audience_.size(); }

 private:
  struct Key {
    std::string rule;
    std::string key;
  };

  Status ProveWith(access::Guard& guard, const std::vector<access::Right>& rights,
                   const std::string& resource, access::PermitPtr& permit) const;
  Status ProveAny(const access::Guard& guard, access::PermitPtr& permit) const;
  Status PutWith(access::Guard& guard, const std::string& resource, std::string_view type,
                 std::string_view token, access::PermitPtr& permit);
  // Makes room by what holds no more.
  void DropLapsed(const access::Guard& guard);

  const GuardGate& gate_;
  const std::string peer_;
  const std::size_t count_max_;
  bool is_proven_ = false;
  // By resource (access/resource.h).
  absl::btree_map<std::string, access::PermitPtr, std::less<>> by_audience_;
  std::optional<Key> key_;
  access::PermitPtr of_certificate_;
  // What a key proved last, for what needs no right on a path.
  access::PermitPtr of_key_;
};

}  // namespace wharf::amqp
