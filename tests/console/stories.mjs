// Stories: runs every *_story.mjs beside it, a few at a time, in one browser; the last line counts them.

import { readdirSync } from "node:fs";

import { openBrowser } from "./browser.mjs";

// They wait more than they work.
const AT_A_TIME = 3;
// Of these some take long: they begin before the others, so that none is told alone at the end.
const FIRST = ["views_story.mjs", "backups_story.mjs", "cluster_story.mjs"];

const wanted = process.argv[2] ?? "";
const files = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith("_story.mjs"))
  .sort((one, other) => FIRST.includes(other) - FIRST.includes(one) || (one < other ? -1 : 1));
const stories = [];
for (const file of files) {
  for (const [name, story] of Object.entries((await import(`./${file}`)).default)) {
    if (`${file} ${name}`.includes(wanted)) stories.push([name, story]);
  }
}

const browser = await openBrowser();
let passed = 0;
let failed = 0;
async function tell() {
  for (let next = stories.shift(); next !== undefined; next = stories.shift()) {
    const [name, story] = next;
    const began = Date.now();
    try {
      await story(browser);
      passed += 1;
      console.log(`ok      ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
}
await Promise.all(Array.from({ length: AT_A_TIME }, tell));
await browser.close();
console.log(`wire console: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
