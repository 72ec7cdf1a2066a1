// The page of the console: what is seen of a broker, and done with it, in a browser. All that it does is a call of
// /api/v1, so a script can do it, too.

import { render } from "preact";

import { presence } from "./api/presence";
import { beginPulse } from "./api/pulse";
import { keepDisabledInReach } from "./parts/disabled";
import { keepFocus } from "./parts/focus";
import "./style.css";
import { App } from "./views/app";

void presence.look();
beginPulse();
keepDisabledInReach();
keepFocus();
render(<App />, document.getElementById("page")!);
