// Stories: runs every *_story.mjs beside it, one after the other, in one browser; the last line counts them.

import { readdirSync } from "node:fs";

import { openBrowser } from "./browser.mjs";

const wanted = process.argv[2] ?? "";
const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith("_story.mjs")).sort();

const browser = await openBrowser();
let passed = 0;
let failed = 0;
for (const file of files) {
  for (const [name, story] of Object.entries((await import(`./${file}`)).default)) {
    if (!`${file} ${name}`.includes(wanted)) continue;
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
await browser.close();
console.log(`wire console: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
