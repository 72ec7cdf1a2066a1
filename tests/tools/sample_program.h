// SampleProgram: a small command line for the tests of what all command lines have in common.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace wharf::command_line {

struct SampleProgram {
  SampleProgram() : app("A program for tests", "sample") {
    app.require_subcommand(1);
    app.fallthrough();
    app.footer("Exit codes:\n  0  done");
    app.add_flag("--json", is_json, "Print JSON");
    CLI::App& queue = *app.add_subcommand("queue", "Make and show queues; see topic for topics");
    queue.require_subcommand(1);
    CLI::App& create = *queue.add_subcommand("create", "Create a queue");
    create.add_option("NAME", name, "Its path")->required();
    create.add_option("--max,-m", max, "At most so many")->type_name("NUMBER")->default_str("10");
    CLI::Option* soon = create.add_flag("--soon", is_soon, "Now");
    create.add_flag("--late", is_late, "Later")->excludes(soon);
    create.add_option("--note", note, "It's a \"note\"")->type_name("TEXT")->needs(soon);
    create.add_option("--state", state, "How it begins")->type_name("on|off");
    CLI::App& send = *app.add_subcommand("send", "Send");
    send.add_option("BODY", bodies, "Each is a message");
    send.add_option("--file", note, "A file")->type_name("FILE");
  }

  // What the parser throws, or "" if it is content.
  template <typename Say>
  std::string Parse(std::vector<std::string> words, Say say) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    try {
      app.parse(reversed);
    } catch (const CLI::ParseError& error) {
      return say(app, error);
    }
    return "";
  }

  CLI::App app;
  bool is_json = false;
  bool is_soon = false;
  bool is_late = false;
  int max = 10;
  std::string name;
  std::string note;
  std::string state;
  std::vector<std::string> bodies;
};

}  // namespace wharf::command_line
