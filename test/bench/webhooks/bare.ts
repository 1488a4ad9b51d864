import http from "node:http";

/**
 * The limit to measure against: the same bytes posted again and again over connections that are kept, as many at once
 * as five subscribers are given. No store, no signature, no checks, no second try.
 *
 * `bun bare.ts SECONDS BODY-FILE ADDRESS…`
 */
const [seconds = "10", file = "", ...addresses] = process.argv.slice(2);
const body = await Bun.file(file).bytes();
const atOnce = 8;
const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64 });
const ends = performance.now() + Number(seconds) * 1000;
const cpuBefore = process.cpuUsage();
let posts = 0;

function post(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "webhook-id": crypto.randomUUID(),
    };
    http
      .request(address, { method: "POST", agent, headers }, (answer) => answer.on("end", resolve).resume())
      .on("error", reject)
      .end(body);
  });
}

async function repeat(address: string) {
  for (; performance.now() < ends; posts++) await post(address);
}

await Promise.all(addresses.flatMap((address) => Array.from({ length: atOnce }, () => repeat(address))));
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(`${JSON.stringify({ posts, cpuMicroseconds: user + system })}\n`);
process.exit(0);
