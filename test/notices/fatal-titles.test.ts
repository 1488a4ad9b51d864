import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { dismissNotice } from "../../server/notices/dismiss-notice.ts";
import { type Installation, install } from "../support/installation.ts";
import { hour, minute, Scene } from "./scene.ts";

// The first installation may have to wait for PostgreSQL to start.
setDefaultTimeout(180_000);

let installation: Installation;
let scene: Scene;
beforeEach(async () => {
  installation = await install();
  scene = new Scene(installation);
});
afterEach(() => installation.remove());

/** Stores reports with these titles, a millisecond apart, and brings them into the index. */
async function receive(titles: readonly string[], level = "fatal") {
  const { ctx, made } = installation;
  const ids = titles.map(() => ctx.newId());
  await ctx.store.write(function* (tx) {
    for (const [n, title] of titles.entries()) {
      yield* tx.run(
        `insert into event (id, project_id, key_id, digest, title, level, received_at, envelope_bytes, stored_bytes,
           delivery_count, repeat_count) values ($1, $2, 'key', 'digest', $3, $4, $5, 0, 0, 0, 0)`,
        [ids[n] ?? "", made.project.id, title, level, scene.now + n],
      );
    }
  });
  scene.now += titles.length;
  await scene.index();
}

test("the first fatal report of a title makes a notice, later ones and other levels make none", async () => {
  await scene.listener();
  await receive(["It fell", "It fell"]);
  await receive(["It was slow"], "error");
  await scene.look();
  const project = installation.made.project.id;
  expect(await scene.notices()).toMatchObject([{ rule: "fatal_new", name: "It fell", project_id: project, times: 1 }]);
  await receive(["It fell"]);
  await scene.lookAfter(minute);
  expect(await scene.notices()).toHaveLength(1);
  expect(await scene.told()).toEqual(["raised fatal_new"]);
});

test("it ends after a day without a word, or when it is dismissed", async () => {
  await scene.listener();
  await receive(["one", "other"]);
  await scene.look();
  const [one] = await scene.notices();
  await dismissNotice({ ctx: installation.ctx, input: { id: one?.id ?? "" } });
  expect(await scene.notices("cleared_at is null")).toMatchObject([{ name: "other" }]);
  await scene.lookAfter(25 * hour);
  expect(await scene.open()).toEqual([]);
  expect(await scene.told()).toEqual(["raised fatal_new", "raised fatal_new"]);
});

test("of a storm of titles ten are told and the rest is counted, in tables that stay small", async () => {
  await scene.listener();
  const titles = Array.from({ length: 500 }, (_, n) => `order ${n} failed`);
  await receive(titles);
  // More than one look takes.
  for (let n = 0; n < 3; n++) await scene.look();
  const rows = await scene.notices();
  expect(rows.filter(({ name }) => name !== null)).toHaveLength(10);
  expect(rows.filter(({ name }) => name === null)).toMatchObject([{ count: 490 }]);
  expect(await scene.told()).toHaveLength(11);
  const known = await installation.ctx.store.all("select title from fatal_title");
  // A process stores a hundred of a project in an hour.
  expect(known).toHaveLength(100);
  // The titles that are known by now are not counted again.
  await receive(titles.slice(0, 50));
  await scene.lookAfter(minute);
  expect((await scene.notices("name is null"))[0]?.count).toBe(490);
});

test("a rule that is off forgets the titles that came meanwhile", async () => {
  await scene.set("notices_off", "fatal_new");
  await receive(["It fell"]);
  await scene.look();
  await scene.set("notices_off", "");
  await scene.look();
  expect(await scene.notices()).toEqual([]);
});
