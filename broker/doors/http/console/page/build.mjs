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
const LICENCED = ["preact", "uplot", "@bufbuild/protobuf"];
// What its heads say, and the text that they refer to; there is no file of it.
const LICENCES_OF_SOURCES = {
  "@bufbuild/protobuf": ["dist/esm/wire/binary-encoding.js", "dist/esm/wire/varint.js"],
};
const APACHE = resolve(HERE, "../../../../../LICENSE");

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
  chunkNames: "[hash]",
  entryNames: "[hash]",
  entryPoints: ["src/main.tsx"],
  outdir: "/page",
  publicPath: "/page",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none", // They are in the file of licences.
  logLevel: "warning",
  metafile: true,
  minify: true,
  plugins: [meanings],
  // What few look at is fetched when they do.
  splitting: true,
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
function add(kind, bytes, path = `/page/${hashOf(bytes)}.${kind}`) {
  files.push({ path, type: TYPES[kind], hash: hashOf(bytes), bytes: Buffer.from(bytes) });
  return path;
}

const headOf = (text) => text.slice(0, text.search(/^[^/]/m)).replace(/^\/\/ ?/gm, "");
function licenceOf(name) {
  const folder = join(HERE, "node_modules", name);
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (file !== undefined) return textOf(join(folder, file));
  return [...LICENCES_OF_SOURCES[name].map((file) => headOf(textOf(join(folder, file)))), textOf(APACHE)].join("\n\n");
}
const versionOf = (name) => JSON.parse(textOf(join(HERE, "node_modules", name, "package.json"))).version;
const licences = LICENCED.map((name) => `${name} ${versionOf(name)}\n\n${licenceOf(name)}`).join("\n\n");

// Scripts know each other by the names that they have here.
const scripts = bundled.outputFiles.filter((file) => file.path.endsWith(".js"));
for (const { path, contents } of scripts) add("js", contents, path);
const scriptOf = Object.entries(bundled.metafile.outputs).find(([, made]) => made.entryPoint)[0];
const style = bundled.outputFiles.find((file) => file.path.endsWith(".css")).contents;
const names = {
  SCRIPT: scripts.find(({ path }) => scriptOf.endsWith(path.slice(1))).path,
  STYLE: add("css", style),
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
