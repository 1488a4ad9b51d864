// node|bun calls.js SDK URL TOKEN KEY CONTESTANT WORK SECONDS: makes calls, 16 at once, and prints what they cost as JSON.

import ky from "ky";
import createClient from "openapi-fetch";

const [sdk, baseUrl, token, key, contestant, work, seconds] = process.argv.slice(2);
const { IngestClient, TicketsClient } = await import(`${sdk}/esm/index.js`);

const ticket = { title: "Nightly build failed", description: "x".repeat(500), priority: "high" };
const report = { type: "crash", title: "TypeError", contexts: { state: "lorem ipsum ".repeat(250) } };
const screenshot = crypto.getRandomValues(new Uint8Array(2_000));

const authorization = (credential) => ({ authorization: `Bearer ${credential}` });
const fields = () => ({ "content-type": "application/json", "idempotency-key": crypto.randomUUID() });

/** What one writes by hand around fetch. */
async function form() {
  const envelope = new Blob([JSON.stringify({ ...report, reportId: crypto.randomUUID() })]);
  const packed = await new Response(envelope.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  const body = new FormData();
  body.append("envelope", new File([packed], "envelope.json.gz", { type: "application/gzip" }));
  body.append("attachment_0", new File([screenshot], "screen.png", { type: "image/png" }));
  return body;
}

const tickets = new TicketsClient({ baseUrl, token });
const reports = new IngestClient({ ingestUrl: baseUrl, key });
const openapi = createClient({ baseUrl });

const calls = {
  "bare fetch": {
    async tickets() {
      const headers = { ...authorization(token), ...fields() };
      return (
        await fetch(`${baseUrl}/api/v1/tickets`, { method: "POST", headers, body: JSON.stringify(ticket) })
      ).json();
    },
    async reports() {
      return (
        await fetch(`${baseUrl}/api/ingest`, { method: "POST", headers: authorization(key), body: await form() })
      ).json();
    },
  },
  "@intake/client": {
    tickets: () => tickets.create(ticket),
    reports: () => reports.submit(report, { attachments: [{ filename: "screen.png", data: screenshot }] }),
  },
  "openapi-fetch": {
    async tickets() {
      return (
        await openapi.POST("/api/v1/tickets", { headers: { ...authorization(token), ...fields() }, body: ticket })
      ).data;
    },
    async reports() {
      const body = await form();
      return (await openapi.POST("/api/ingest", { headers: authorization(key), body, bodySerializer: () => body }))
        .data;
    },
  },
  ky: {
    tickets: () =>
      ky.post(`${baseUrl}/api/v1/tickets`, { headers: { ...authorization(token), ...fields() }, json: ticket }).json(),
    reports: async () => ky.post(`${baseUrl}/api/ingest`, { headers: authorization(key), body: await form() }).json(),
  },
};

const call = calls[contestant][work];
const answered = (answer) => (work === "tickets" ? answer.id : answer.eventId) !== undefined;

async function load(milliseconds) {
  const end = performance.now() + milliseconds;
  let count = 0;
  const one = async () => {
    while (performance.now() < end) {
      if (!answered(await call())) throw new Error("an answer without an id");
      count++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return count;
}

await load(1_000);
const cpu = process.cpuUsage();
const started = performance.now();
const count = await load(Number(seconds) * 1_000);
const { user, system } = process.cpuUsage(cpu);
const took = (performance.now() - started) / 1_000;
console.log(JSON.stringify({ perSecond: count / took, cpuMicroseconds: (user + system) / count }));
process.exit(0);
