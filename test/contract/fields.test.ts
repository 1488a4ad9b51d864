import { expect, test } from "bun:test";
import { showTicket } from "../../server/tickets/show.ts";
import { describeTargets } from "../support/targets.ts";
import { newToken, post } from "../support/tickets.ts";

const emoji = "😀";
const id = "0198c0de-0000-7000-8000-00000000dead";

/** A body and the faults it has, as `path code`. */
const faulty: [string, unknown, string[]][] = [
  ["no title", {}, ["/title required"]],
  ["null title", { title: null }, ["/title wrong_type"]],
  ["number as title", { title: 1 }, ["/title wrong_type"]],
  ["empty title", { title: "" }, ["/title too_short"]],
  ["title of 201", { title: "x".repeat(201) }, ["/title too_long"]],
  ["title of 201 emoji", { title: emoji.repeat(201) }, ["/title too_long"]],
  ["description of 20,001", { title: "x", description: "d".repeat(20_001) }, ["/description too_long"]],
  ["null description", { title: "x", description: null }, ["/description wrong_type"]],
  ["null projectId", { title: "x", projectId: null }, ["/projectId wrong_type"]],
  ["projectId that is no UUID", { title: "x", projectId: "shop" }, ["/projectId bad_format"]],
  ["empty boardId", { title: "x", boardId: "" }, ["/boardId bad_format"]],
  ["UUID in braces", { title: "x", columnId: `{${id}}` }, ["/columnId bad_format"]],
  ["assignee as number", { title: "x", assigneeUserId: 5 }, ["/assigneeUserId wrong_type"]],
  ["repository of wrong shape", { title: "x", agentRepositoryId: "r" }, ["/agentRepositoryId bad_format"]],
  ["priority urgent", { title: "x", priority: "urgent" }, ["/priority bad_value"]],
  ["priority High", { title: "x", priority: "High" }, ["/priority bad_value"]],
  ["null priority", { title: "x", priority: null }, ["/priority wrong_type"]],
  ["29 February 2026", { title: "x", dueAt: "2026-02-29" }, ["/dueAt bad_format"]],
  ["29 February 1900", { title: "x", dueAt: "1900-02-29" }, ["/dueAt bad_format"]],
  ["31 April", { title: "x", startsAt: "2026-04-31" }, ["/startsAt bad_format"]],
  ["month 13", { title: "x", startsAt: "2026-13-01" }, ["/startsAt bad_format"]],
  ["day 0", { title: "x", startsAt: "2026-01-00" }, ["/startsAt bad_format"]],
  ["a date with time", { title: "x", startsAt: "2026-01-01T00:00:00Z" }, ["/startsAt bad_format"]],
  ["a date with a line end", { title: "x", startsAt: "2026-01-01\n" }, ["/startsAt bad_format"]],
  ["other digits", { title: "x", startsAt: "２０２６-01-01" }, ["/startsAt bad_format"]],
  ["an unknown field", { title: "x", colour: "red" }, ["/colour unknown_field"]],
  ["a field of the answer", { title: "x", id }, ["/id unknown_field"]],
  ["another case", { title: "x", Title: "y" }, ["/Title unknown_field"]],
  ["a name with / and ~", { title: "x", "a/b~c": 1 }, ["/a~1b~0c unknown_field"]],
  ["the constructor", { title: "x", constructor: {} }, ["/constructor unknown_field"]],
  [
    "every fault at once",
    { title: "", priority: 1, dueAt: "soon", colour: "red" },
    ["/title too_short", "/priority wrong_type", "/dueAt bad_format", "/colour unknown_field"],
  ],
];

/** Faults of bodies that JSON.stringify cannot write. */
const raw: [string, string, string[]][] = [
  ["__proto__", '{"title":"x","__proto__":{"title":"y"}}', ["/__proto__ unknown_field"]],
  ["U+0000", '{"title":"a\\u0000b"}', ["/title bad_characters"]],
  ["U+0000 in the description", '{"title":"x","description":"\\u0000"}', ["/description bad_characters"]],
  ["a lone high surrogate", '{"title":"\\ud83d"}', ["/title bad_characters"]],
  ["a lone low surrogate", '{"title":"\\ude00x"}', ["/title bad_characters"]],
  ["no body", "", [" not_json"]],
  ["half a body", '{"title":', [" not_json"]],
  ["two bodies", '{"title":"x"}{}', [" not_json"]],
  ["a comma too many", '{"title":"x",}', [" not_json"]],
  ["NaN", '{"title":NaN}', [" not_json"]],
  ["200,000 brackets", "[".repeat(200_000), [" not_json"]],
  ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, []],
  ["a list", "[]", [" not_object"]],
  ["null", "null", [" not_object"]],
  ["a string", '"title"', [" not_object"]],
  ["a number", "7", [" not_object"]],
];

const accepted: [string, Record<string, unknown>][] = [
  ["title of 200", { title: "x".repeat(200) }],
  ["title of 200 emoji, 400 UTF-16 units", { title: emoji.repeat(200) }],
  ["a blank title", { title: " " }],
  ["nothing trimmed", { title: "  a \t" }],
  ["description of 20,000", { title: "x", description: "d".repeat(20_000) }],
  ["an empty description", { title: "x", description: "" }],
  ["description of 20,000 emoji", { title: "x", description: emoji.repeat(20_000) }],
  [
    "null where null is allowed",
    { title: "x", assigneeUserId: null, agentRepositoryId: null, startsAt: null, dueAt: null },
  ],
  ["equal dates", { title: "x", startsAt: "2024-02-29", dueAt: "2024-02-29" }],
  ["only startsAt", { title: "x", startsAt: "2026-01-01" }],
  ["only dueAt", { title: "x", dueAt: "0001-01-01" }],
  ["29 February 2000", { title: "x", dueAt: "2000-02-29" }],
  ["every priority", { title: "x", priority: "medium" }],
];

describeTargets("fields", (target) => {
  async function send(body: unknown, headers = {}) {
    const { token } = await newToken(target().installation);
    const response = await post(target(), { token, body, headers });
    const answer = (await response.json()) as { id: string; error?: string; details?: Fault[] };
    return { status: response.status, answer, faults: answer.details?.map(({ path, code }) => `${path} ${code}`) };
  }
  interface Fault {
    path: string;
    code: string;
    message: string;
  }

  for (const [name, body, faults] of faulty) {
    test(`refused: ${name}`, async () => {
      const sent = await send(body);
      expect(sent).toMatchObject({ status: 400, answer: { error: "invalid_input" }, faults });
      for (const { message } of sent.answer.details ?? []) expect(message).toMatch(/^[A-Za-z].+\.$/);
    });
  }

  for (const [name, body, faults] of raw) {
    test(`refused: ${name}`, async () => {
      const sent = await send(body);
      expect({ status: sent.status, error: sent.answer.error }).toEqual({ status: 400, error: "invalid_input" });
      if (faults.length > 0) expect(sent.faults).toEqual(faults);
    });
  }

  for (const [name, body] of accepted) {
    test(`accepted and kept: ${name}`, async () => {
      const sent = await send(body);
      expect(sent.status).toBe(201);
      const shown = await showTicket({ ctx: target().installation.ctx, input: { id: sent.answer.id } });
      expect(shown).toMatchObject(body);
    });
  }

  test("bytes that are no UTF-8 are refused", async () => {
    const { token } = await newToken(target().installation);
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"title":"'),
      0xc3,
      0x28,
      ...new TextEncoder().encode('"}'),
    ]);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await target().send("/api/v1/tickets", { method: "POST", headers, body: bytes });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: "", code: "not_utf8" }] });

    const packed = await target().send("/api/v1/tickets", {
      method: "POST",
      headers: { ...headers, "content-encoding": "gzip" },
      body: Bun.gzipSync('{"title":"x"}'),
    });
    expect(packed.status).toBe(400);
    expect(await packed.json()).toMatchObject({
      details: [{ path: "", code: "not_utf8", message: "Send the body as it is, without Content-Encoding." }],
    });
  });

  test("a byte order mark is skipped", async () => {
    expect((await send('\ufeff{"title":"x"}')).status).toBe(201);
  });

  test("of a repeated member the last one counts", async () => {
    const sent = await send('{"title":"first","title":"second"}');
    expect(sent).toMatchObject({ status: 201, answer: { title: "second" } });
  });

  test("UUIDs are taken in either case and given in lower case", async () => {
    const { made } = target().installation;
    const sent = await send({
      title: "x",
      projectId: made.project.id.toUpperCase(),
      boardId: made.board.id.toUpperCase(),
    });
    expect(sent).toMatchObject({ status: 201, answer: { projectId: made.project.id, boardId: made.board.id } });
  });

  for (const type of [
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; profile=x",
  ]) {
    test(`content type ${type} is taken`, async () => {
      expect((await send({ title: "x" }, { "content-type": type })).status).toBe(201);
    });
  }

  for (const type of [
    "text/plain",
    "application/json; charset=latin1",
    "application/x-www-form-urlencoded",
    "application/jsonx",
  ]) {
    test(`content type ${type} is refused`, async () => {
      expect(await send({ title: "x" }, { "content-type": type })).toMatchObject({
        status: 400,
        faults: [" content_type"],
      });
    });
  }

  test("a body of 1 MiB is read, one byte more is not", async () => {
    const filled = (bytes: number) => `{"title":"x"${" ".repeat(bytes - 13)}}`;
    expect((await send(filled(1_048_576))).status).toBe(201);
    expect(await send(filled(1_048_577))).toMatchObject({ status: 400, faults: [" too_large"] });
  });

  test("an answer never grows with the body", async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field${i}`, i]));
    const sent = await send(many);
    expect(sent.faults?.length).toBe(100);
    const long = await send({ title: "x", ["n".repeat(500_000)]: 1 });
    expect(JSON.stringify(long.answer).length).toBeLessThan(1_000);
  });
});
