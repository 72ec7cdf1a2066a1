// Key: one thing that can be configured: what it is called, what it may be, and where it goes.
//
// Constant; all of them stand in keys.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/config/settings.h"
#include "storage/base/time.h"

namespace wharf::config {

// Where the value of a key is.
template <typename T>
struct Field {
  T* (*get)(Settings& settings);

  T& of(Settings& settings) const { return *get(settings); }
  // Only read.
  const T& of(const Settings& settings) const { return *get(const_cast<Settings&>(settings)); }
};

// Any text; it has no default, so it must be said.
struct Text {
  Field<std::string> field;
  std::string_view example;
};

// The name of a file; empty: none.
struct File {
  Field<std::string> field;
};

// "off", "on", or on with a file, which is named instead. Its flag may come without a value: "on".
struct SwitchWithFile {
  Field<std::string> field;
};

// Several texts. A file has them in an array, a variable with commas, and a flag may come again.
struct List {
  Field<std::vector<std::string>> field;
};

// See listen_address.h.
struct Addresses : List {};

// Of machines, or their addresses as they stand in a URL; without ports.
struct HostNames : List {};

// Of entities that are timed; see engine/timed_entities.h.
struct EntityPaths : List {};

// Clients and their rules; see access/client_rules.h. In a variable they stand between semicolons,
// for subjects of certificates have commas.
struct Clients : List {};

// Keys of JSON web tokens, with their files; see access/token_issuer.h.
struct TokenKeys : List {};

// Any text; it may be empty.
struct Words {
  Field<std::string> field;
};

// Where clients find it: a host, and a port behind a colon or none; empty: nobody says.
struct Authority {
  Field<std::string> field;
  // 0.0.0.0 and [::] are places to listen at, and none that others are told.
  bool is_told = true;
};

// Of a receiver of OTLP (trace/endpoint.h); empty: none.
struct Endpoint {
  Field<std::string> field;
};

// One of a few names.
struct Choice {
  Field<std::string> field;
  std::span<const std::string_view> names;
};

struct Switch {
  Field<bool> field;
};

struct Number {
  Field<std::size_t> field;
  std::size_t min;
  std::size_t max;
};

// Bytes, written with their unit.
struct Size {
  Field<std::uint64_t> field;
  std::uint64_t min;
  std::uint64_t max;
  // Of a flag that is a bare number, as it was before there were units.
  std::string_view flag_unit;
};

// A span of time, written with its unit; a flag that is a bare number is in seconds.
struct Time {
  Field<Duration> field;
  Duration min;
  Duration max;
};

struct Key {
  // "log-level": the key of a file is called so, its flag --log-level, its variable
  // WHARFD_LOG_LEVEL.
  std::string_view name;
  std::variant<Text, File, Words, Addresses, HostNames, EntityPaths, Clients, TokenKeys, Authority,
               Endpoint, Choice, Switch, SwitchWithFile, Number, Size, Time>
      kind;
  // Whether a reload takes it over; else it waits for a restart.
  bool is_reloadable;
  std::string_view help;

  // It has no default.
  bool is_needed() const { return std::holds_alternative<Text>(kind); }
  bool is_list() const {
    return std::holds_alternative<Addresses>(kind) || std::holds_alternative<HostNames>(kind) ||
           std::holds_alternative<EntityPaths>(kind) || std::holds_alternative<Clients>(kind) ||
           std::holds_alternative<TokenKeys>(kind);
  }
  // Of a list, in a variable and between flags that come again.
  char separator() const { return std::holds_alternative<Clients>(kind) ? ';' : ','; }
};

std::string FlagOf(const Key& key);
std::string VariableOf(const Key& key);

}  // namespace wharf::config
