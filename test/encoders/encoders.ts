import { join } from "node:path";
import { shortJava } from "../support/java.ts";
import { JobProgram } from "../support/job-program.ts";
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
const programs = {
  requests: new JobProgram([installed.python, "-B", file("with_requests.py")]),
  httpx: new JobProgram([installed.python, "-B", file("with_httpx.py")]),
  aiohttp: new JobProgram([installed.python, "-B", file("with_aiohttp.py")]),
  node: new JobProgram(["node", file("with-fetch.js")]),
  bun: new JobProgram([process.execPath, file("with-fetch.js")]),
  deno: new JobProgram([installed.deno, "run", "--allow-all", "--no-config", file("with-fetch.js")]),
  formData: new JobProgram(["node", file("with-form-data.js")]),
  go: new JobProgram([installed.go]),
  okHttp: new JobProgram(["java", ...shortJava, "-cp", classPath, "WithOkHttp"]),
  apache: new JobProgram(["java", ...shortJava, "-cp", classPath, "WithApache"]),
};

/** Ends the programs that send with these encoders. */
export async function stopEncoders() {
  await Promise.all(Object.values(programs).map((program) => program.stop()));
}

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
  client("requests", programs.requests, "named", both),
  client("requests, no file names", programs.requests, "bare", bare),
  client("httpx", programs.httpx, "named", both),
  client("httpx, no file names", programs.httpx, "bare", bare),
  client("aiohttp", programs.aiohttp, "named", both),
  client("aiohttp, names as they are", programs.aiohttp, "unquoted", both),
  client("aiohttp, no file names", programs.aiohttp, "bare", bare),
  client("Node fetch", programs.node, "named", both),
  text("Node fetch, text and nameless blobs", programs.node, blobs),
  // Bun adds the charset to the type of a text, and gives a blob without a name an empty name where the standard says
  // "blob".
  client("Bun fetch", programs.bun, "named", [screenshot, { ...log, ...encoded }]),
  text("Bun fetch, text and nameless blobs", programs.bun, [
    { ...screenshot, filename: null },
    { ...log, ...encoded, filename: null },
  ]),
  client("Deno fetch", programs.deno, "named", both),
  text("Deno fetch, text and nameless blobs", programs.deno, blobs),
  client("form-data", programs.formData, "named", both),
  client("form-data, no file names", programs.formData, "bare", typed(bare, octets)),
  client("Go", programs.go, "named", typed(both, octets)),
  client("Go, form fields", programs.go, "bare", typed(bare, null)),
  client("OkHttp", programs.okHttp, "named", both),
  client("OkHttp, no file names", programs.okHttp, "bare", bare),
  client("Apache HttpClient, strict", programs.apache, "strict", both),
  client("Apache HttpClient, legacy", programs.apache, "legacy", both),
  client("Apache HttpClient, extended", programs.apache, "extended", both),
  client("Apache HttpClient, no file names", programs.apache, "bare", typed(bare, null)),
  ...shapes,
];

/** A plain envelope as a string, and attachments as blobs without names. */
function text(name: string, program: JobProgram, attachments: [Part, Part]): Encoder {
  return { ...client(name, program, "bare", attachments), textual: true };
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
