// node|bun queue.js SDK KEY: what a queue at its bound takes, while nothing can be sent; JSON.
const [sdk, key] = process.argv.slice(2);
const { IngestClient } = await import(`${sdk}/esm/index.js`);

const offline = () => Promise.reject(new TypeError("offline"));
const reports = new IngestClient({ ingestUrl: "http://127.0.0.1:9", key, fetch: offline });
const collect = globalThis.gc ?? globalThis.Bun?.gc ?? (() => {});

async function capture(count) {
  for (let i = 0; i < count; i++) {
    const data = crypto.getRandomValues(new Uint8Array(60_000)).slice();
    reports.capture({ title: "Offline" }, { attachments: [{ filename: "noise.bin", data }] });
    // As in an app, where crashes do not come all in one turn of the loop.
    if (i % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

await capture(10);
collect(true);
const before = process.memoryUsage();
await capture(5_000);
while (reports.stats().queued + Object.values(reports.stats().dropped).reduce((sum, n) => sum + n, 0) < 5_010) {
  await new Promise((resolve) => setTimeout(resolve, 10));
}
await new Promise((resolve) => setTimeout(resolve, 200));
collect(true);
const after = process.memoryUsage();
const { queued, dropped } = reports.stats();
console.log(JSON.stringify({ queued, dropped: dropped.queue_full, bytes: after.rss - before.rss }));
process.exit(0);
