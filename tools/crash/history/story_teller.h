// StoryTeller: a message's story as text, for whoever looks for the fault.
#pragma once

#include <string>

#include "tools/crash/history/story.h"

namespace wharf::crash {

// One line for each event, in their order.
std::string TellStory(const Storybook& book, const MessageId& id);

}  // namespace wharf::crash
