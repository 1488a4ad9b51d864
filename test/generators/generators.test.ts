import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { showTicket } from "../../server/tickets/show.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { newSdkKey, shown, storedAttachment, storedEnvelope } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { newToken } from "../support/tickets.ts";
import { type Answer, type Client, makeClient } from "./client.ts";
import { contentTypes } from "./generator.ts";
import { generators } from "./generators.ts";
import { installGenerators } from "./install.ts";
import { newCodes, startNewerServer } from "./newer-server.ts";
import { makeOpenapiGeneratorClients } from "./openapi-generator.ts";
import { table, tablePath } from "./table.ts";

let installation: Installation;
let server: RunningBinary;
const newer = startNewerServer();
beforeAll(async () => {
  installGenerators();
  makeOpenapiGeneratorClients(generators);
  installation = await install();
  server = await serve(installation.folder);
}, 600_000);
afterAll(async () => {
  await newer.stop();
  await server?.stop();
  await installation?.remove();
});

const filename = "every byte.png";
/** Bytes with line ends and delimiters. */
const everyByte = Buffer.concat([
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from("\r\n--\r\n\0\r\n--+++\r\n\0\r\n--boundary--\r\n\0\n\r"),
]);

describe.each(generators.map((generator) => [`${generator.name} (${generator.language})`, generator] as const))(
  "%s",
  (_, generator) => {
    let made: Client | undefined;
    const client = () => {
      if (!made) throw new Error("there is no client");
      return made;
    };

    afterAll(() => made?.stop());

    test("a client is generated from openapi.json and built", () => {
      made = makeClient(generator);
    }, 600_000);

    test("creates a ticket, and with the same Idempotency-Key no other", async () => {
      const { token } = await newToken(installation);
      const ticket = ["ticket", server.url, token, crypto.randomUUID(), "Größe ≠ size"];
      const { id = "", ...first } = await client().ask(...ticket);
      expect(first).toEqual({ status: 201, repeated: false });
      expect(await client().ask(...ticket)).toEqual({ status: 201, id, repeated: true });
      const { title } = await showTicket({ ctx: installation.ctx, input: { id } });
      expect(title).toBe("Größe ≠ size");
    }, 180_000);

    test("reads the code of an error", async () => {
      const { token } = await newToken(installation);
      const answer = await client().ask("ticket", server.url, token, "key", "A ticket", crypto.randomUUID());
      expect(answer).toMatchObject({ status: 404, error: "board_not_found" });
    }, 180_000);

    test("submits a packed envelope and an attachment of every byte, stored as they are", async () => {
      const { key } = await newSdkKey(installation);
      const { envelope, args } = newReport(key, everyByte);
      const { id = "", ...first } = await client().ask("report", server.url, ...args);
      expect(first).toEqual({ status: 200, repeated: false });
      expect(await client().ask("report", server.url, ...args)).toEqual({ status: 200, id, repeated: true });

      expect(Buffer.from(await storedEnvelope(installation, id))).toEqual(envelope);
      expect(Buffer.from(await storedAttachment(installation, id, 0))).toEqual(everyByte);
      const { attachments, warnings } = await shown(installation, id);
      expect(attachments.map(({ part, filename, contentType }) => ({ part, filename, contentType }))).toEqual([
        { part: "attachment_0", filename, contentType: contentTypes[generator.contentType] },
      ]);
      expect(warnings).toEqual([]);
    }, 180_000);

    test("takes a new member in an answer", async () => {
      const answer = await client().ask("ticket", newer.url.origin, "token", "key", "A ticket");
      expect(answer).toMatchObject({ status: 201, id: expect.any(String) });
    }, 180_000);

    for (const code of ["error code", "warning code"] as const) {
      const stumbles = generator.stumbles?.over.includes(code) ?? false;
      test(`${stumbles ? "stumbles over" : "takes"} a new ${code} in an answer`, async () => {
        const answer = askNewer(client(), code);
        if (stumbles) await expect(answer).rejects.toThrow(newCodes[code]);
        else expect(await answer).toMatchObject(newAnswers[code]);
      }, 180_000);
    }

    for (const { what, proof } of generator.lacks) {
      test(`still: ${what}`, async () => {
        expect(await proof({ client: client(), attachmentsOf: (bytes) => attachmentsOf(client(), bytes) })).toBe(true);
      }, 180_000);
    }
  },
);

test("openapi/GENERATORS.md tells of them; if not, run: bun test/generators/table.ts", () => {
  expect(readFileSync(tablePath, "utf8")).toBe(table());
});

const newAnswers = {
  "error code": { status: 404, error: newCodes["error code"] },
  "warning code": { status: 200, id: expect.any(String) },
};

function askNewer(client: Client, code: keyof typeof newCodes): Promise<Answer> {
  const url = newer.url.origin;
  return code === "error code"
    ? client.ask("ticket", url, "token", "key", "A ticket", crypto.randomUUID())
    : client.ask("report", url, ...newReport("key", everyByte).args);
}

async function attachmentsOf(client: Client, attachment: Uint8Array): Promise<number> {
  const { key } = await newSdkKey(installation);
  const { id = "" } = await client.ask("report", server.url, ...newReport(key, attachment).args);
  return (await shown(installation, id)).attachments.length;
}

/** A compressed envelope and an attachment as files, and the arguments of a program. */
function newReport(key: string, attachment: Uint8Array) {
  const envelope = Buffer.from(
    JSON.stringify({ reportId: crypto.randomUUID(), title: "Grün ≠ green", message: "a\r\nb" }),
  );
  const folder = join(installation.folder, "sent", crypto.randomUUID());
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "report.json.gz"), gzipSync(envelope));
  writeFileSync(join(folder, filename), attachment);
  return { envelope, args: [key, join(folder, "report.json.gz"), join(folder, filename), contentTypes["as set"]] };
}
