// build: makes the page a source of C++: bundled, compressed, each file but the page itself named by what is in it.
//
//   node build.mjs page_files.cc page_files.cc.d
//
// The same input makes the same bytes. Run by CMake (tools/cmake/WharfPage.cmake).

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { meaningsOf } from "./meanings.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const PROTO = resolve(HERE, "../../../../../proto/wharf/v1");
const LICENCED = ["preact", "uplot"];

const [target, depfile] = process.argv.slice(2);
const read = new Set([join(HERE, "meanings.mjs"), join(HERE, "package-lock.json")]);

function textOf(path) {
  read.add(path);
  return readFileSync(path, "utf8");
}

// What the properties of an entity mean stands in the .proto, and nowhere else.
const meanings = {
  name: "meanings",
  setup(build) {
    build.onResolve({ filter: /^wharf:meanings$/ }, () => ({ path: "meanings", namespace: "wharf" }));
    build.onLoad({ filter: /.*/, namespace: "wharf" }, () => ({
      contents: JSON.stringify(
        meaningsOf(["management", "topics"].map((file) => textOf(join(PROTO, `${file}.proto`)))),
      ),
      loader: "json",
    }));
  },
};

const bundled = await esbuild.build({
  absWorkingDir: HERE,
  bundle: true,
  entryPoints: { page: "src/main.tsx" },
  outdir: "/page",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none", // They are in the file of licences.
  logLevel: "warning",
  metafile: true,
  minify: true,
  plugins: [meanings],
  target: ["es2022"],
  write: false,
});
for (const input of Object.keys(bundled.metafile.inputs)) {
  if (!input.startsWith("wharf:")) read.add(join(HERE, input));
}

const TYPES = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};
const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const files = [];
function add(kind, bytes) {
  const hash = hashOf(bytes);
  const path = `/page/${hash}.${kind}`;
  files.push({ path, type: TYPES[kind], hash, bytes: Buffer.from(bytes) });
  return path;
}

const licences = LICENCED.map((name) => {
  const folder = join(HERE, "node_modules", name);
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  return `${name} ${JSON.parse(textOf(join(folder, "package.json"))).version}\n\n${textOf(join(folder, file))}`;
}).join("\n\n");

const output = (kind) => bundled.outputFiles.find((file) => file.path.endsWith(`.${kind}`)).contents;
const names = {
  SCRIPT: add("js", output("js")),
  STYLE: add("css", output("css")),
  ICON: add("svg", textOf(join(HERE, "src/icon.svg"))),
  LICENCES: add("txt", licences),
};
const page = Buffer.from(textOf(join(HERE, "src/page.html")).replace(/%(\w+)%/g, (_, name) => names[name]));
files.push({ path: "/", type: "text/html; charset=utf-8", hash: hashOf(page), bytes: page });
files.sort((one, other) => (one.path < other.path ? -1 : 1));

const quoted = (text) => `R"(${text})"`;
// A byte has three digits, so that none is taken for the next one's.
function literalOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; from += 24) {
    lines.push(
      `"${[...bytes.subarray(from, from + 24)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`,
    );
  }
  return lines.join("\n    ");
}
function entryOf({ path, type, hash, bytes }) {
  const gzip = gzipSync(bytes, { level: 9 });
  const names = [path, type, `"${hash}"`].map(quoted).join(", ");
  return `  {${names}, std::string_view(\n    ${literalOf(gzip)}, ${gzip.length})}`;
}

mkdirSync(dirname(target), { recursive: true });
writeFileSync(
  target,
  `// Made by ${relative(resolve(HERE, "../../../../.."), fileURLToPath(import.meta.url))}.
#include "broker/doors/http/console/page_files.h"

namespace wharf::console {

const std::vector<PageFile>& PageFiles() {
  static const std::vector<PageFile> kFiles = {
${files.map(entryOf).join(",\n")}};
  return kFiles;
}

}  // namespace wharf::console
`,
);
const escaped = (path) => path.replaceAll(" ", "\\ ");
writeFileSync(depfile, `${escaped(target)}: ${[...read].sort().map(escaped).join(" ")}\n`);
