import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Installation, install } from "../../test/support/installation.ts";
import { audit } from "../core/audit.ts";
import { type AuditFormat, exportAudit } from "./export-audit.ts";
import { type AuditEntry, type AuditFilter, listAudit } from "./list-audit.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

async function add(names: readonly string[], action = "project.rename") {
  const { ctx } = installation;
  const ids = names.map(() => ctx.newId());
  await ctx.store.write(function* (tx) {
    for (const [i, name] of names.entries()) {
      const author = { now: ctx.now, audited: ctx.audited, actor: { kind: "operator", name } } as const;
      yield* audit(tx, author, ids[i] ?? "", action, `project ${name}`, { to: name });
    }
  });
}

async function exported(format: AuditFormat, filter: AuditFilter): Promise<string> {
  return new Response(await exportAudit({ ctx: installation.ctx, input: { filter, format } })).text();
}

/** Reads CSV as RFC 4180 has it. */
function fieldsIn(csv: string): string[][] {
  expect(csv).toMatch(/^(?:"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*\r\n)*$/);
  return Array.from(csv.matchAll(/("(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*)\r\n/g), ([, line = ""]) =>
    Array.from(line.matchAll(/"((?:[^"]|"")*)"/g), ([, field = ""]) => field.replaceAll('""', '"')),
  );
}

test("every entry is in the export once, newest first, also where few of many slices match", async () => {
  const names = Array.from({ length: 2_500 }, (_, i) => `many ${i}`);
  await add(names);
  await add(["one of a kind"], "project.archive");
  const all = (await exported("jsonl", { action: "project.rename" })).trimEnd().split("\n");
  expect(all.map((line) => (JSON.parse(line) as AuditEntry).actor)).toEqual(names.toReversed());
  const { ctx } = installation;
  const oldest = await listAudit({ ctx, input: { limit: 1, filter: { action: "organisation.create" } } });
  expect(JSON.parse(await exported("jsonl", { action: "organisation.create" }))).toEqual(oldest.items[0]);
});

test("no field of the CSV begins like a formula, and all are read back as they were", async () => {
  const starts = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    '"=1',
    "a,b\r\nc",
    "'=1",
    "é😀",
  ];
  const texts = fc.oneof(fc.constantFrom(...starts), fc.string({ unit: "binary", maxLength: 20 }));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 30 }), async (given) => {
      const names = given.map((name) => name.replaceAll("\0", "").toWellFormed() || "x");
      const action = `try.${run++}`;
      await add(names, action);
      const [, ...rows] = fieldsIn(await exported("csv", { action }));
      expect(rows.map(([, , actor = ""]) => actor.replace(/^'(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/, ""))).toEqual(
        names.toReversed().map((name) => name.replace(/^'(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/, "")),
      );
      for (const field of rows.flat()) expect(field).not.toMatch(/^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/);
    }),
    { numRuns: 30 },
  );
});
