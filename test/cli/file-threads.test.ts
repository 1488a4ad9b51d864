import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { serve } from "../support/binary.ts";
import { attachment, boundary, envelope, form, newSdkKey } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";

setDefaultTimeout(180_000);

let installation: Installation;
afterEach(() => installation.remove());

/** Threads of a server that has stored attachments that came all at once. */
async function threadsOf(env: Record<string, string>): Promise<number> {
  installation = await install();
  const { key } = await newSdkKey(installation);
  const server = await serve(installation.folder, [], { env });
  const submit = () =>
    fetch(`${server.url}/api/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
      body: form([
        envelope({ title: crypto.randomUUID() }),
        attachment(crypto.getRandomValues(new Uint8Array(60_000))),
      ]),
    });
  const answers = await Promise.all(Array.from({ length: 64 }, submit));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const threads = readdirSync(`/proc/${server.pid}/task`).length;
  await server.stop();
  return threads;
}

test("sixteen files are written at a time, or as many as UV_THREADPOOL_SIZE says", async () => {
  const two = await threadsOf({ UV_THREADPOOL_SIZE: "2" });
  await installation.remove();
  expect((await threadsOf({})) - two).toBeGreaterThan(8);
});
