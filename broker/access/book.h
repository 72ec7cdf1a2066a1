// Book: all access rules that there are, by what they belong to.
//
// It never changes: a change of a rule makes a new one, which shares all but one path with the one
// before. So whoever looks at one sees one state of all rules, and disturbs nobody.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/access/access_rule.h"
#include "broker/access/permit.h"
#include "storage/base/hash_trie.h"

namespace wharf::access {

class Book {
 public:
  // In the order of their folded names.
  using RuleList = std::vector<AccessRule>;

  // Of a resource, by the name of the rule, in any case; null: there is none.
  const AccessRule* Find(std::string_view resource, std::string_view name) const;
  const RuleList& RulesOf(std::string_view resource) const;
  std::size_t size() const { return size_; }

  // A rule of that name that was there is replaced.
  Book With(const std::string& resource, AccessRule rule) const;
  Book Without(std::string_view resource, std::string_view name) const;
  // All of a resource that is gone.
  Book WithoutAll(std::string_view resource) const;

  // The rule that the permit rests on, if it is still there, with the key that proved it, if one
  // did.
  const AccessRule* RuleBehind(const Permit& permit) const;

 private:
  using Rules = std::shared_ptr<const RuleList>;

  Book Replacing(const std::string& resource, RuleList rules) const;

  HashTrie<Rules> rules_;
  std::size_t size_ = 0;
};

}  // namespace wharf::access
