import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { readS3Address } from "../../server/core/s3-address.ts";
import type { Timing } from "../../server/store/s3/client.ts";
import { S3Credentials } from "../../server/store/s3/credentials.ts";
import { S3Files } from "../../server/store/s3-files.ts";
import { Authority } from "../support/certificates.ts";
import { S3Server, s3Environment, s3Region } from "../support/s3-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { drafted, filesContract, isThere, keepBytes, kept, newId, pagesBefore, textOf } from "./files-contract.ts";

let server: S3Server;
const spool = temporaryFolder();
beforeAll(async () => {
  server = await S3Server.start();
}, 300_000);
afterAll(async () => {
  await server?.stop();
  rmSync(spool, { recursive: true, force: true });
});
afterEach(() => {
  setSystemTime();
});

/** A busy machine may need long for an answer. */
const patient: Timing = { pauses: [0, 50, 500], try: 30_000, all: 60_000, troubled: 30_000 };

function open(
  address: string,
  environment: Record<string, string> = s3Environment,
  { folder = spool, timing = patient } = {},
): S3Files {
  const credentials = new S3Credentials(environment);
  return new S3Files(readS3Address(address), { spool: folder, credentials, timing });
}

describe("files on S3", () => {
  filesContract(() => {
    const place = server.newPlace("some/prefix");
    const folder = temporaryFolder();
    return {
      files: open(place, s3Environment, { folder }),
      another: () => open(place, s3Environment, { folder }),
      uploads: folder,
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  });
});

test("more files than one answer lists, and one request removes, are all told and removed", async () => {
  const files = open(server.newPlace());
  const ids = Array.from({ length: 1_050 }, () => newId());
  for (let i = 0; i < ids.length; i += 50) {
    await Promise.all(ids.slice(i, i + 50).map((id) => keepBytes(files, "", id)));
  }
  expect((await pagesBefore(files, Date.now() + 60_000)).flat().sort()).toEqual(ids.sort());
  await files.remove(ids);
  expect(await pagesBefore(files, Date.now() + 60_000)).toEqual([]);
});

test("two places in one bucket know nothing of each other", async () => {
  const place = server.newPlace("one");
  const [one, two] = [open(place), open(place.replace("/one", "/two"))];
  const id = await kept(one, "x");
  expect(await isThere(two, id)).toBe(false);
  expect((await pagesBefore(two, Date.now() + 60_000)).flat()).toEqual([]);
  await two.remove([id]);
  expect(await textOf(one, id)).toBe("x");
});

test("bytes that are not those of the digest are refused by the server, in memory and in a draft", async () => {
  const files = open(server.newPlace());
  const [id, other] = [newId(), newId()];
  const digest = () => new Uint8Array(32).fill(7);
  const refused = "object storage answers 400 XAmzContentSHA256Mismatch";
  await expect(files.keepBytes(Buffer.from("x"), id, digest)).rejects.toThrow(refused);
  const draft = await drafted(files, Buffer.alloc(1_000_000));
  await expect(files.keep(draft, other, digest)).rejects.toThrow(refused);
  await draft.discard();
  for (const one of [id, other]) expect(await isThere(files, one)).toBe(false);
  expect(readdirSync(spool)).toEqual([]);
});

test("what was stored already is kept again without an error when it is the same, as after a lost answer", async () => {
  const files = open(server.newPlace());
  const id = await kept(files, "mine");
  await kept(files, "mine", id);
  await keepBytes(files, "mine", id);
  await expect(kept(files, "your", id)).rejects.toThrow("EEXIST");
  expect(await textOf(files, id)).toBe("mine");
});

test("a wrong key, a wrong region, a bucket that is not there and a wrong clock are said in words", async () => {
  const place = server.newPlace();
  const failing = (address: string, environment?: Record<string, string>) =>
    keepBytes(open(address, environment), "x", newId()).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await failing(place, { ...s3Environment, AWS_SECRET_ACCESS_KEY: "wrong" })).toBe(
    "object storage refuses the request (403 SignatureDoesNotMatch)",
  );
  expect(await failing(place, { ...s3Environment, AWS_ACCESS_KEY_ID: "wrong" })).toMatch(
    /^object storage refuses the request \(40[34] \w+\)$/,
  );
  expect(await failing(place.replace(s3Region, "eu-west-1"))).toBe(
    `the bucket is in the region ${s3Region}, but the address says eu-west-1`,
  );
  expect(await failing(server.address("nowhere"))).toBe("the bucket does not exist");
  setSystemTime(Date.now() + 3_600_000);
  expect(await failing(place)).toMatch(/^this machine's clock is 3[56]\d\d s ahead of that of object storage/);
});

test("what was refused while the server hung is kept when it goes on, whether or not it was stored meanwhile", async () => {
  const place = server.newPlace();
  const hasty = open(place, s3Environment, { timing: { pauses: [0, 1], try: 300, all: 1_000, troubled: 300 } });
  const files = open(place);
  const ids = Array.from({ length: 20 }, () => newId());
  // Connections are open, so the requests reach the server although it hangs.
  await Promise.all(ids.map((id) => isThere(files, id)));
  await server.pause();
  try {
    const outcomes = await Promise.allSettled(ids.map((id) => keepBytes(hasty, id, id)));
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map(() => "rejected"));
  } finally {
    server.resume();
  }
  expect(hasty.trouble()).toContain("did not answer");
  await Promise.all(ids.map((id) => keepBytes(files, id, id)));
  for (const id of ids) expect(await textOf(files, id)).toBe(id);
});

test("uploads and downloads of large files over TLS take a bounded part of them into memory", async () => {
  const authority = new Authority();
  const secure = await S3Server.start(authority.issue(["IP:127.0.0.1"]));
  const folder = temporaryFolder();
  try {
    writeFileSync(`${folder}/ca.pem`, authority.cert);
    // 288 MiB in all.
    const command = [`${import.meta.dir}/upload-to-s3.ts`, secure.newPlace(), `${folder}/spool`, "12", "25165824"];
    const uploading = Bun.spawn([process.execPath, ...command], {
      env: { ...process.env, ...s3Environment, NODE_EXTRA_CA_CERTS: `${folder}/ca.pem` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [printed, complaints] = await Promise.all([uploading.stdout.text(), uploading.stderr.text()]);
    expect([complaints, await uploading.exited]).toEqual(["", 0]);
    expect(Number(printed)).toBeLessThan(160 * 1_048_576);
  } finally {
    await secure.stop();
    authority.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
