// CommandLine: what stands behind wharfd's name: to serve, or what to do with the configuration.
// Used by main.cc on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "broker/config/entry.h"

namespace wharf::config {

class CommandLine {
 public:
  enum class Verb : std::uint8_t { kServe, kCheck, kPrint, kExample, kRecover, kRestore };

  CommandLine();

  // The exit code, if there is nothing to do any more: --help was asked for, or it is bad usage and
  // told.
  std::optional<int> Parse(int argc, const char* const* argv);

  Verb verb() const;
  // Of --config or its variable; empty if there is none.
  const std::string& file() const { return file_; }
  // Of kRecover: what others had and this node has not may be lost.
  bool accepts_loss() const { return accepts_loss_; }
  // Of kRestore: the folder of a backup, the one that is made, and whether the keys are replaced.
  const std::string& backup() const { return backup_; }
  const std::string& target() const { return target_; }
  bool makes_new_keys() const { return makes_new_keys_; }
  std::vector<Entry> Entries() const;

 private:
  void AddFlags();
  void AddVerbs();
  void AddRestore();
  int Refuse(const CLI::ParseError& error);

  CLI::App app_;
  std::string file_;
  // By the place of the key in the table.
  std::vector<const CLI::Option*> flags_;
  const CLI::App* check_ = nullptr;
  const CLI::App* print_ = nullptr;
  const CLI::App* example_ = nullptr;
  const CLI::App* recover_ = nullptr;
  bool accepts_loss_ = false;
  const CLI::App* restore_ = nullptr;
  std::string backup_;
  std::string target_;
  bool makes_new_keys_ = false;
};

}  // namespace wharf::config
