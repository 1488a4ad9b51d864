import { join } from "node:path";
import { shortJava } from "../support/java.ts";
import { client, curl } from "./client.ts";
import type { Encoder, Part } from "./encoder.ts";
import { installed } from "./install.ts";
import { logName, screenshotName } from "./report.ts";
import { shapes } from "./shapes.ts";

const screenshot = { part: "screenshot", filename: screenshotName, contentType: "image/png" };
const log = { part: "log", filename: logName, contentType: "text/plain" };
const both: [Part, Part] = [screenshot, log];
const octets = "application/octet-stream";
const encoded = { contentType: "text/plain;charset=utf-8" };
const bare = renamed(null);
const blobs = renamed("blob");

const file = (name: string) => join(import.meta.dir, "clients", name);
const classPath = `${installed.javaClasses}:${installed.jars}/*`;
const commands = {
  requests: [installed.python, file("with_requests.py")],
  httpx: [installed.python, file("with_httpx.py")],
  aiohttp: [installed.python, file("with_aiohttp.py")],
  node: ["node", file("with-fetch.js")],
  bun: [process.execPath, file("with-fetch.js")],
  deno: [installed.deno, "run", "--allow-all", "--no-config", file("with-fetch.js")],
  formData: ["node", file("with-form-data.js")],
  go: [installed.go],
  okHttp: ["java", ...shortJava, "-cp", classPath, "WithOkHttp"],
  apache: ["java", ...shortJava, "-cp", classPath, "WithApache"],
};
const curlNamed = [
  ...["-F", 'envelope=@"{envelope}";type=application/json'],
  ...["-F", 'screenshot=@"{screenshot}";type=image/png'],
  ...["-F", 'log=@"{log}";type=text/plain'],
];
const curlBare = ["-F", "envelope=<{envelope}", "-F", "screenshot=<{screenshot}", "-F", "log=<{log}"];

export const encoders: Encoder[] = [
  curl("curl", curlNamed, both),
  curl("curl, chunked", [...curlNamed, "-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue"], both),
  // This encoder derives the type of a picture from the ending of a name that it does not send.
  curl("curl, no file names", curlBare, [bare[0], { ...bare[1], contentType: null }]),
  client("requests", commands.requests, "named", both),
  client("requests, no file names", commands.requests, "bare", bare),
  client("httpx", commands.httpx, "named", both),
  client("httpx, no file names", commands.httpx, "bare", bare),
  client("aiohttp", commands.aiohttp, "named", both),
  client("aiohttp, names as they are", commands.aiohttp, "unquoted", both),
  client("aiohttp, no file names", commands.aiohttp, "bare", bare),
  client("Node fetch", commands.node, "named", both),
  text("Node fetch, text and nameless blobs", commands.node, blobs),
  // Bun adds the charset to the type of a text, and gives a blob without a name an empty name where the standard says
  // "blob".
  client("Bun fetch", commands.bun, "named", [screenshot, { ...log, ...encoded }]),
  text("Bun fetch, text and nameless blobs", commands.bun, [
    { ...screenshot, filename: null },
    { ...log, ...encoded, filename: null },
  ]),
  client("Deno fetch", commands.deno, "named", both),
  text("Deno fetch, text and nameless blobs", commands.deno, blobs),
  client("form-data", commands.formData, "named", both),
  client("form-data, no file names", commands.formData, "bare", typed(bare, octets)),
  client("Go", commands.go, "named", typed(both, octets)),
  client("Go, form fields", commands.go, "bare", typed(bare, null)),
  client("OkHttp", commands.okHttp, "named", both),
  client("OkHttp, no file names", commands.okHttp, "bare", bare),
  client("Apache HttpClient, strict", commands.apache, "strict", both),
  client("Apache HttpClient, legacy", commands.apache, "legacy", both),
  client("Apache HttpClient, extended", commands.apache, "extended", both),
  client("Apache HttpClient, no file names", commands.apache, "bare", typed(bare, null)),
  ...shapes,
];

/** A plain envelope as a string, and attachments as blobs without names. */
function text(name: string, command: string[], attachments: [Part, Part]): Encoder {
  return { ...client(name, command, "bare", attachments), textual: true };
}

function renamed(filename: string | null): [Part, Part] {
  return [
    { ...screenshot, filename },
    { ...log, filename },
  ];
}

function typed([first, second]: [Part, Part], contentType: string | null): [Part, Part] {
  return [
    { ...first, contentType },
    { ...second, contentType },
  ];
}
