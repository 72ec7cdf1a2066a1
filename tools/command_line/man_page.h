// ManPage: the manual page of a program, in the language of man(7).
//
// Printed by the program itself, for `man -l -` and for those who make packages. A pure function.
#pragma once

#include <string>

#include "tools/command_line/command_table.h"

namespace wharf::command_line {

struct ManPageTitle {
  // Of the manual: 1 for commands, 8 for daemons.
  int section = 1;
  std::string version;
};

std::string ManPage(const Command& program, const ManPageTitle& title);

}  // namespace wharf::command_line
