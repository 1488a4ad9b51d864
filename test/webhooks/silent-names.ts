import { setServers } from "node:dns";
import { readFile } from "node:fs/promises";
import { SsrfGuard } from "../../server/webhooks/addresses/ssrf-guard.ts";

/**
 * A name server on a real socket knows `known.test` and is silent about every other name. In a process of its own: it is
 * asked by all of it. Prints what the known one leads to.
 */
const server = await Bun.udpSocket({
  hostname: "127.0.0.1",
  socket: {
    data(socket, query, port, address) {
      if (query.includes("known")) socket.send(answerTo(query), port, address);
    },
  },
});
setServers([`127.0.0.1:${server.port}`]);
const addresses = new SsrfGuard({ allow: ["127.0.0.0/8"] });
for (let n = 0; n < 64; n++) void addresses.resolve(`https://silent-${n}.test/`).catch(() => {});
await readFile(import.meta.path);
const target = await addresses.resolve("https://known.test/");
process.stdout.write(`${target.addresses.map(({ address }) => address).join(" ")}\n`);
process.exit();

/** 127.0.0.1 where an IPv4 address is asked for, and nothing else. */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isFour = query.readUInt16BE(end - 4) === 1;
  const head = Buffer.from([0x81, 0x80, 0, 1, 0, isFour ? 1 : 0, 0, 0, 0, 0]);
  const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), ...(isFour ? [address] : [])]);
}
