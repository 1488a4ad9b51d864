import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { drafted, keepBytes, newId, textOf } from "../../test/store/files-contract.ts";
import { inTime } from "../../test/support/in-time.ts";
import { answering, type Behaviour, type ReceivedRequest, Receiver } from "../../test/support/receiver.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { readS3Address } from "../core/s3-address.ts";
import { StoreUnavailable } from "../core/store.ts";
import { sha256 } from "../envelope/sha256.ts";
import { dayOfId } from "./day-of-id.ts";
import { bytesOf } from "./files.ts";
import type { Timing } from "./s3/client.ts";
import { S3Credentials } from "./s3/credentials.ts";
import { S3Files } from "./s3-files.ts";

/** Failures of object storage, by a server on a real socket that answers as a test says. */
let storage: Receiver;
let spool: string;
const told: (string | undefined)[] = [];
/** Pauses that no test has to wait for, and times that no answer needs on a busy machine. */
const patient: Timing = { pauses: [0, 1, 2], try: 20_000, all: 50_000, troubled: 20_000 };
/** For servers that do not answer, and time enough for those that do. */
const hasty: Timing = { pauses: [0, 1, 2], try: 2_500, all: 30_000, troubled: 300 };
const key = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

beforeEach(async () => {
  storage = await Receiver.listen();
  spool = temporaryFolder();
  told.length = 0;
});
afterEach(async () => {
  await storage.close();
  rmSync(spool, { recursive: true, force: true });
});

function open(timing = patient, environment: Record<string, string> = key): S3Files {
  const address = readS3Address(`s3://bucket?region=eu-west-1&endpoint=http://127.0.0.1:${storage.port}`);
  const credentials = new S3Credentials(environment);
  return new S3Files(address, { spool, credentials, timing, onTrouble: (reason) => told.push(reason) });
}

/** The behaviours one after the other, and the last one from then on. */
function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let n = 0;
  return (socket, request) => behaviours[Math.min(n++, behaviours.length - 1)]?.(socket, request);
}

const stored = answering("200 OK", ['etag: "e"'], "");
const failing = answering("503 Slow Down", [], "<Error><Code>SlowDown</Code></Error>");
const silent: Behaviour = () => {};
const reset: Behaviour = (socket) => socket.resetAndDestroy();
const refusing = (status: string, code: string, more = "", headers: string[] = []) =>
  answering(status, headers, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message>${more}</Error>`);

const lines = () => storage.requests.map(({ line }) => line.split(" ")[0]);
const bodies = () => storage.requests.map(({ body }) => body.toString());
const path = (id: string) => `/bucket/attachments/${dayOfId(id)}/${id}`;

async function failureOf(work: Promise<unknown>): Promise<StoreUnavailable> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof StoreUnavailable)) throw error ?? new Error("it did not fail");
  return error;
}

test("an object is one PUT, with its length, the digest of its bytes and a condition, each of them signed", async () => {
  storage.behave = stored;
  const files = open();
  const id = newId(Date.UTC(2026, 1, 28, 23, 59, 59, 999));
  const sum = sha256(Buffer.from("one, two"));
  const digest = () => sum;
  await files.keep(await drafted(files, "one, ", "two"), id, digest);
  await files.keepBytes(Buffer.from("one, two"), id, digest);
  for (const { line, headers, body } of storage.requests) {
    expect(line).toBe(`PUT /bucket/attachments/2026-02-28/${id} HTTP/1.1`);
    expect(body.toString()).toBe("one, two");
    expect(headers.get("transfer-encoding")).toBeNull();
    expect(headers.get("content-length")).toBe("8");
    expect(headers.get("if-none-match")).toBe("*");
    expect(headers.get("x-amz-content-sha256")).toBe(sum.toHex());
    expect(headers.get("x-amz-meta-sha256")).toBe(sum.toHex());
    const authorization = headers.get("authorization") ?? "";
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/s3\/aws4_request, /);
    for (const signed of ["host", "if-none-match", "x-amz-content-sha256", "x-amz-meta-sha256"]) {
      expect(authorization).toMatch(new RegExp(`SignedHeaders=[^,]*\\b${signed}\\b`));
    }
  }
  expect(storage.requests).toHaveLength(2);
  expect(readdirSync(spool)).toEqual([]);
});

test("a session token is sent and signed", async () => {
  storage.behave = stored;
  await keepBytes(open(patient, { ...key, AWS_SESSION_TOKEN: "session" }), "x", newId());
  const [request] = storage.requests;
  expect(request?.headers.get("x-amz-security-token")).toBe("session");
  expect(request?.headers.get("authorization")).toContain("x-amz-security-token");
});

test.each([
  ["503", failing],
  ["500", refusing("500 Internal Server Error", "InternalError")],
  ["429", answering("429 Too Many Requests", [], "")],
  ["409 for a condition", refusing("409 Conflict", "ConditionalRequestConflict")],
  ["400 for a body that came too slowly", refusing("400 Bad Request", "RequestTimeout")],
  ["400 for bytes that were damaged on their way", refusing("400 Bad Request", "XAmzContentSHA256Mismatch")],
  ["a reset", reset],
  ["an answer that is cut", (socket) => socket.end("HTTP/1.1 200 OK\r\netag: x\r\ncontent-length: 100\r\n\r\nhalf")],
] satisfies [string, Behaviour][])("after %s the whole is sent again, three times in all", async (_what, behave) => {
  // The next request gets a connection of its own: a kept one that is reset is tried again by Bun itself.
  const storedOnce = answering("200 OK", ['etag: "e"', "connection: close"], "");
  storage.behave = inTurn(behave, behave, storedOnce);
  const files = open();
  const content = "x".repeat(300_000);
  await files.keep(await drafted(files, content), newId(), () => sha256(Buffer.from(content)));
  expect(bodies()).toEqual([content, content, content]);
  expect(files.trouble()).toBeUndefined();

  storage.requests.length = 0;
  storage.behave = inTurn(behave, behave, behave, storedOnce);
  await failureOf(keepBytes(files, "y", newId()));
  expect(storage.requests).toHaveLength(3);
});

test("what object storage does not take is storage that is not available for 5 s, and is told once until it heals", async () => {
  storage.behave = failing;
  const files = open();
  const error = await failureOf(keepBytes(files, "x", newId()));
  expect(error.retrySeconds).toBe(5);
  expect(error.message).toBe("object storage answers 503 SlowDown");
  await failureOf(keepBytes(files, "x", newId()));
  expect(files.trouble()).toBe("attachments cannot be stored: object storage answers 503 SlowDown");
  storage.behave = stored;
  await keepBytes(files, "x", newId());
  expect(files.trouble()).toBeUndefined();
  expect(told).toEqual(["attachments cannot be stored: object storage answers 503 SlowDown", undefined]);
});

test("a server that does not answer is left after a time, three times; then once for each file, until it answers", async () => {
  storage.behave = silent;
  const timing = { ...hasty };
  const files = open(timing);
  const error = await inTime(28_000, failureOf(keepBytes(files, "x", newId())));
  expect(error.message).toBe("object storage did not answer within 3 s");
  expect(storage.requests).toHaveLength(3);
  storage.requests.length = 0;
  await failureOf(keepBytes(files, "x", newId()));
  expect(storage.requests).toHaveLength(1);
  storage.behave = stored;
  timing.troubled = patient.troubled;
  await keepBytes(files, "x", newId());
  storage.behave = failing;
  storage.requests.length = 0;
  await failureOf(keepBytes(files, "x", newId()));
  expect(storage.requests).toHaveLength(3);
});

test("all tries together have an end, whatever each may take", async () => {
  storage.behave = silent;
  const files = open({ pauses: Array(100).fill(1), try: 200, all: 700, troubled: 200 });
  await inTime(10_000, failureOf(keepBytes(files, "x", newId())));
  expect(storage.requests.length).toBeLessThanOrEqual(5);
});

test("before each further try there is a pause", async () => {
  storage.behave = failing;
  const started = performance.now();
  await failureOf(keepBytes(open({ ...patient, pauses: [0, 300, 400] }), "x", newId()));
  // The pauses vary by a quarter.
  expect(performance.now() - started).toBeGreaterThan(0.75 * 700 - 5);
});

test("a server that takes the head and no body does not hold the upload, nor its draft open", async () => {
  storage.onConnection = (socket) => socket.pause();
  const files = open(hasty);
  const draft = await drafted(files, Buffer.alloc(24 * 1_048_576, "large"));
  await inTime(28_000, failureOf(files.keep(draft, newId(), () => new Uint8Array(32))));
  await draft.discard();
  expect(readdirSync(spool)).toEqual([]);
  const targets = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
  expect(targets.filter((target) => target.startsWith(spool))).toEqual([]);
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

test("nobody listens: it is tried again, and says so", async () => {
  const files = open();
  const { port } = storage;
  await storage.close();
  const error = await failureOf(keepBytes(files, "x", newId()));
  expect(error.message).toBe("object storage cannot be reached (ECONNREFUSED)");
  storage = await Receiver.listen({ port, behave: stored });
  await keepBytes(files, "x", newId());
  expect(files.trouble()).toBeUndefined();
});

test("a refusal is not tried again, also one that comes before the body was read", async () => {
  const refusal = refusing("403 Forbidden", "AccessDenied");
  storage.onConnection = (socket) => socket.once("data", () => refusal(socket, {} as ReceivedRequest));
  storage.behave = silent;
  const files = open();
  const draft = await drafted(files, Buffer.alloc(8 * 1_048_576, "large"));
  const error = await failureOf(files.keep(draft, newId(), () => new Uint8Array(32)));
  expect(error.message).toBe("object storage refuses the request (403 AccessDenied)");
  expect(storage.connections).toBe(1);
  await draft.discard();
});

test.each([
  [
    "a redirect that names the region",
    refusing("301 Moved Permanently", "PermanentRedirect", "", ["x-amz-bucket-region: us-west-2"]),
    "the bucket is in the region us-west-2, but the address says eu-west-1",
  ],
  [
    "a signature for another region",
    refusing("400 Bad Request", "AuthorizationHeaderMalformed", "<Region>us-west-2</Region>"),
    "the bucket is in the region us-west-2, but the address says eu-west-1",
  ],
  [
    "any other redirect",
    answering("307 Temporary Redirect", ["location: http://127.0.0.1:1/"], ""),
    "object storage redirects (307): the endpoint or the region is not the bucket's",
  ],
  ["a bucket that is not there", refusing("404 Not Found", "NoSuchBucket"), "the bucket does not exist"],
  [
    "a key that is not known",
    refusing("403 Forbidden", "InvalidAccessKeyId", "<AWSAccessKeyId>id</AWSAccessKeyId>"),
    "object storage refuses the request (403 InvalidAccessKeyId)",
  ],
  [
    "a page of something else",
    answering("200 OK", ["content-type: text/html"], "<h1>Welcome</h1>"),
    "what answers is not object storage",
  ],
  [
    "an endless page",
    answering("404 Not Found", [], "x".repeat(100_000)),
    "object storage answers 404 with more than 65536 bytes",
  ],
] satisfies [string, Behaviour, string][])(
  "%s is said in words, once, and not followed",
  async (_what, behave, words) => {
    storage.behave = behave;
    const files = open();
    expect((await failureOf(keepBytes(files, "x", newId()))).message).toBe(words);
    expect(storage.requests).toHaveLength(1);
    expect(files.trouble()).toBe(`attachments cannot be stored: ${words}`);
  },
);

test("a clock that is wrong is said with how wrong it is", async () => {
  const date = (seconds: number) => `date: ${new Date(Date.now() - seconds * 1_000).toUTCString()}`;
  for (const [seconds, words] of [
    [3_600, /^this machine's clock is 3[56]\d\d s ahead of that of object storage: set it right$/],
    [-7_200, /^this machine's clock is 7[12]\d\d s behind that of object storage: set it right$/],
  ] as const) {
    storage.behave = refusing("403 Forbidden", "RequestTimeTooSkewed", "", [date(seconds)]);
    expect((await failureOf(keepBytes(open(), "x", newId()))).message).toMatch(words);
  }
});

test("a key in files that were replaced is taken when the old one is refused", async () => {
  const folder = temporaryFolder();
  const files = { AWS_ACCESS_KEY_ID_FILE: `${folder}/id`, AWS_SECRET_ACCESS_KEY_FILE: `${folder}/secret` };
  writeFileSync(files.AWS_ACCESS_KEY_ID_FILE, "old\n");
  writeFileSync(files.AWS_SECRET_ACCESS_KEY_FILE, "secret\n");
  storage.behave = (socket, request) => {
    const old = request.headers.get("authorization")?.includes("Credential=old/");
    (old ? refusing("400 Bad Request", "ExpiredToken") : stored)(socket, request);
  };
  const adapter = open(patient, files);
  await failureOf(keepBytes(adapter, "x", newId()));
  expect(storage.requests).toHaveLength(1);
  writeFileSync(files.AWS_ACCESS_KEY_ID_FILE, "new\n");
  await keepBytes(adapter, "x", newId());
  await keepBytes(adapter, "x", newId());
  expect(storage.requests).toHaveLength(4);
  rmSync(folder, { recursive: true });
});

test("an object whose answer was lost is found to be stored", async () => {
  const digest = sha256(Buffer.from("mine")).toHex();
  const head = (size: number, digest: string) =>
    ((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\nx-amz-meta-sha256: ${digest}\r\n\r\n`)) as Behaviour;
  const taken = refusing("412 Precondition Failed", "PreconditionFailed");
  const id = newId();
  storage.behave = inTurn(silent, taken, head(4, digest));
  await keepBytes(open(hasty), "mine", id);
  expect(storage.requests.map(({ line }) => line)).toEqual([
    `PUT ${path(id)} HTTP/1.1`,
    `PUT ${path(id)} HTTP/1.1`,
    `HEAD ${path(id)} HTTP/1.1`,
  ]);
  for (const [size, other] of [
    [5, digest],
    [4, sha256(Buffer.from("your")).toHex()],
  ] as const) {
    storage.behave = inTurn(reset, taken, head(size, other));
    await expect(keepBytes(open(), "mine", id)).rejects.toThrow("EEXIST");
  }
  // Its metadata may be seen later than the object itself.
  storage.behave = inTurn(reset, taken, answering("404 Not Found", [], ""), head(4, ""), head(4, digest));
  await keepBytes(open(), "mine", id);
  storage.behave = inTurn(taken, answering("404 Not Found", [], ""));
  await failureOf(keepBytes(open(), "mine", id));
});

test("an answer of 200 that refuses single objects is no success; objects that are gone are", async () => {
  const result = (...codes: string[]) =>
    answering(
      "200 OK",
      [],
      `<DeleteResult xmlns="x">${codes.map((code) => `<Error><Key>k</Key><Code>${code}</Code></Error>`).join("")}</DeleteResult>`,
    );
  const files = open();
  const ids = [newId(), newId(), newId()];
  storage.behave = result();
  await files.remove(ids);
  const [request] = storage.requests;
  expect(request?.line).toBe("POST /bucket/?delete= HTTP/1.1");
  const body = request?.body ?? Buffer.alloc(0);
  expect(request?.headers.get("content-md5")).toBe(new Bun.CryptoHasher("md5").update(body).digest("base64"));
  for (const id of ids) expect(body.toString()).toContain(`<Key>attachments/${dayOfId(id)}/${id}</Key>`);

  storage.behave = result("NoSuchKey");
  await files.remove(ids);

  storage.requests.length = 0;
  storage.behave = result("AccessDenied", "NoSuchKey", "AccessDenied");
  const denied = await failureOf(files.remove(ids));
  expect(denied.message).toBe("2 of 3 attachments could not be removed (AccessDenied)");
  expect(storage.requests).toHaveLength(1);
  // Files can be kept all the same.
  expect(files.trouble()).toBeUndefined();

  storage.requests.length = 0;
  storage.behave = inTurn(result("InternalError"), result("SlowDown"), result());
  await files.remove(ids);
  expect(storage.requests).toHaveLength(3);

  storage.behave = answering("200 OK", [], "<html></html>");
  expect((await failureOf(files.remove(ids))).message).toBe("what answers is not object storage");
});

test("at most 1,000 objects are removed by one request", async () => {
  storage.behave = answering("200 OK", [], "<DeleteResult/>");
  await open().remove(Array.from({ length: 2_001 }, () => newId()));
  expect(bodies().map((body) => body.split("<Key>").length - 1)).toEqual([1_000, 1_000, 1]);
});

test("a list goes on where it was cut, and tells ages by the server's clock, of this program's objects alone", async () => {
  const hour = 3_600_000;
  // The server's clock is five hours behind, so the objects are from the time before.
  const serverNow = Date.now() - 5 * hour;
  const [old, older, young] = [newId(), newId(), newId()];
  const contents = (key: string, age: number) =>
    `<Contents><Key>${key}</Key><LastModified>${new Date(serverNow - age).toISOString()}</LastModified></Contents>`;
  const list = (objects: string, next?: string) =>
    answering(
      "200 OK",
      [`date: ${new Date(serverNow).toUTCString()}`],
      `<ListBucketResult xmlns="x"><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}${objects}</ListBucketResult>`,
    );
  const own = (id: string) => `attachments/${dayOfId(id)}/${id}`;
  const foreign = [
    `attachments/2020-01-01/${old}`,
    `attachments/${dayOfId(old)}/${old}/more`,
    `attachments/${dayOfId(old)}/notes.txt`,
    `attachments/${old}`,
  ];
  storage.behave = inTurn(
    list(contents(own(old), 3 * hour) + foreign.map((key) => contents(key, 3 * hour)).join(""), "a&amp;b/+=&#34;"),
    list(contents(own(young), hour) + contents(own(older), 4 * hour)),
  );
  const found: string[] = [];
  for await (const ids of open().keptBefore(Date.now() - 2 * hour)) found.push(...ids);
  expect(found).toEqual([old, older]);
  const [first, second] = storage.requests.map(
    ({ line }) => new URL(line.split(" ")[1] ?? "", "http://x").searchParams,
  );
  expect(Object.fromEntries(first ?? [])).toEqual({ "list-type": "2", "max-keys": "1000", prefix: "attachments/" });
  expect(second?.get("continuation-token")).toBe('a&b/+="');
});

test("without a time of the server nothing is known to be old, and a list that does not go on is a failure", async () => {
  const entry = `<Contents><Key>attachments/${dayOfId(newId())}/${newId()}</Key><LastModified>2020-01-01T00:00:00Z</LastModified></Contents>`;
  storage.behave = answering("200 OK", [], `<ListBucketResult>${entry}</ListBucketResult>`);
  const files = open();
  for await (const ids of files.keptBefore(Date.now())) expect(ids).toEqual([]);
  storage.behave = answering("200 OK", [], "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>");
  const listing = async () => {
    for await (const _ of files.keptBefore(Date.now()));
  };
  expect((await failureOf(listing())).message).toContain("without saying how it goes on");
});

/** Serves an object by ranges; `cut` says how many bytes of an answer are sent, and what becomes of the connection. */
function serving(
  object: Buffer,
  cut: (n: number) => { bytes: number; after: "end" | "silence" } | undefined,
): Behaviour {
  let n = 0;
  return (socket, { line, headers }) => {
    if (line.startsWith("HEAD")) return socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${object.length}\r\n\r\n`);
    const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
    const bytes = object.subarray(Number(from), Number(to) + 1);
    const head = `HTTP/1.1 206 Partial Content\r\ncontent-range: bytes ${from}-${to}/${object.length}`;
    socket.write(`${head}\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    const cutting = cut(n++);
    socket.write(cutting ? bytes.subarray(0, cutting.bytes) : bytes);
    if (cutting?.after === "end") socket.end();
    return true;
  };
}

const object = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));

test.each(["end", "silence"] as const)("a download that is cut (%s) goes on where it was cut, twice", async (after) => {
  const files = open(after === "silence" ? hasty : patient);
  const cuts = [100_000, 70_000];
  storage.behave = serving(object, (n) => (cuts[n] === undefined ? undefined : { bytes: cuts[n], after }));
  const file = await files.find(newId());
  if (!file) throw new Error("the file is not there");
  expect(object.subarray(10, 299_990).equals(Buffer.from(await bytesOf(file, 10, 299_990)))).toBe(true);
  const ranges = storage.requests.flatMap(({ headers }) => headers.get("range") ?? []);
  const starts = ranges.map((range) => Number(/^bytes=(\d+)-299989$/.exec(range)?.[1]));
  expect(starts).toHaveLength(3);
  // Of what came right before a connection ended, some may never be read.
  for (const [i, sent] of [10, 100_010, 170_010].entries()) expect(starts[i]).toBeLessThanOrEqual(sent);
  if (after === "silence") expect(starts).toEqual([10, 100_010, 170_010]);
});

test("a download that is cut again and again fails, and is never taken for whole", async () => {
  storage.behave = serving(object, () => ({ bytes: 50_000, after: "end" }));
  const file = await open().find(newId());
  if (!file) throw new Error("the file is not there");
  await expect(bytesOf(file)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(storage.requests).toHaveLength(4);
});

test("an answer without a length that ends too early is not taken for whole either", async () => {
  const head = "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-299999/300000\r\nconnection: close\r\n\r\n";
  storage.behave = inTurn(
    serving(object, () => undefined),
    (socket) => {
      socket.write(head);
      socket.end(object.subarray(0, 50_000));
    },
    serving(object, () => undefined),
  );
  const file = await open().find(newId());
  if (!file) throw new Error("the file is not there");
  expect(object.equals(Buffer.from(await bytesOf(file)))).toBe(true);
  expect(storage.requests).toHaveLength(3);
});

test("an answer with another range than was asked for is not read", async () => {
  const files = open();
  storage.behave = inTurn(
    serving(object, () => undefined),
    answering("200 OK", [], object.toString("latin1")),
  );
  const file = await files.find(newId());
  expect((await failureOf(bytesOf(file as NonNullable<typeof file>, 5, 10))).message).toContain("the range");
});

test("a download reads no further than its reader", async () => {
  const large = Buffer.alloc(64 * 1_048_576, 7);
  const sockets: Socket[] = [];
  const serve = serving(large, () => undefined);
  storage.behave = (socket, request) => {
    if (request.line.startsWith("GET")) sockets.push(socket);
    serve(socket, request);
  };
  const file = await open().find(newId());
  if (!file) throw new Error("the file is not there");
  const slow = ((await file.open(0, large.length)) as ReadableStream<Uint8Array>).getReader();
  await slow.read();
  // While another one is read whole, only what fits into the buffers on the way is sent of the first.
  expect((await bytesOf(file)).length).toBe(large.length);
  const [first] = sockets;
  expect((first?.bytesWritten ?? 0) - (first?.writableLength ?? 0)).toBeLessThan(large.length / 2);
  await slow.cancel();
});

test("a probe finds out that files can be kept again, and never fails itself", async () => {
  storage.behave = failing;
  const files = open();
  await failureOf(keepBytes(files, "x", newId()));
  await files.probe();
  expect(files.trouble()).toContain("503");
  storage.requests.length = 0;
  storage.behave = stored;
  await files.probe();
  expect(files.trouble()).toBeUndefined();
  expect(lines()).toEqual(["PUT", "DELETE"]);
  expect(readdirSync(spool)).toEqual([]);
});

test("a disk for drafts that is full refuses uploads, until a probe finds room", async () => {
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", spool]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  try {
    storage.behave = stored;
    const files = open();
    const draft = await drafted(files);
    await failureOf(draft.write(Buffer.alloc(2 * 1_048_576, 1)));
    expect(files.trouble()).toBe("disk full");
    await draft.discard();
    await files.probe();
    expect(files.trouble()).toBeUndefined();
  } finally {
    Bun.spawnSync(["umount", "--lazy", spool]);
  }
});

test("a draft that cannot be read any more is not stored, and the failure is that of the disk", async () => {
  storage.behave = stored;
  const files = open();
  const draft = await drafted(files, "x");
  draft.stream = () =>
    new ReadableStream({
      pull() {
        throw new StoreUnavailable("attachments cannot be written (EIO)");
      },
    });
  expect((await failureOf(files.keep(draft, newId(), () => new Uint8Array(32)))).message).toContain("EIO");
  expect(storage.requests).toEqual([]);
  await draft.discard();
});

test("what is not found is not there", async () => {
  storage.behave = answering("404 Not Found", [], "");
  expect(await open().find(newId())).toBeUndefined();
  await expect(textOf(open(), newId())).rejects.toThrow("there is no file");
});
