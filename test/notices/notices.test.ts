import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { backupVerifiedStep, beginBackupTryStep, endBackupTryStep } from "../../server/core/backup-tries.ts";
import { cutoffBy } from "../../server/core/cutoff.ts";
import { RequestLog } from "../../server/credentials/request-log.ts";
import type { MailContent } from "../../server/mail/content.ts";
import { bodyAbout } from "../../server/mail/new-mail.ts";
import { removeOldNotices } from "../../server/notices/remove-old.ts";
import { Tally } from "../../server/overview/tally.ts";
import { changeSubscriber } from "../../server/webhooks/subscribers/change-subscriber.ts";
import { attemptAll, byClock, deliveriesOf, subscribe, tell } from "../support/deliveries.ts";
import { messageFaults } from "../support/documented.ts";
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

async function disable(id: string) {
  await installation.ctx.store.write((tx) =>
    tx.run("update subscriber set state = 'disabled', reason = 'answered 410 Gone' where id = $1", [id]),
  );
}

function enable(id: string) {
  return changeSubscriber({ ctx: installation.ctx, input: { id, change: "enable" } });
}

test("nothing is raised, told or written while all is well", async () => {
  await scene.listener();
  await scene.look();
  expect(await scene.notices()).toEqual([]);
  expect(scene.changed).toEqual([]);
});

describe("a disabled subscriber", () => {
  test("is raised once, told to the others as documented, and cleared when it is enabled", async () => {
    const listener = await scene.listener();
    const { id } = await subscribe(installation, { name: "triage" });
    await disable(id);
    await scene.look();
    await scene.look();
    expect(await scene.notices()).toMatchObject([
      { rule: "subscriber_disabled", subject: id, name: "triage", cleared_at: null, times: 1, told: "raised" },
    ]);
    expect(scene.changed).toHaveLength(1);
    const [message] = await installation.ctx.store.all<{ head: string }>("select head from message");
    const raised = JSON.parse(message?.head ?? "");
    expect(messageFaults("notice.raised", raised)).toEqual([]);
    expect(raised.data).toMatchObject({
      text: "It is disabled: answered 410 Gone.",
      url: `http://127.0.0.1:3000/subscribers/${id}`,
    });
    expect(await deliveriesOf(installation, listener)).toHaveLength(1);
    expect(await deliveriesOf(installation, id)).toEqual([]);

    await enable(id);
    await scene.lookAfter(hour);
    expect(await scene.open()).toEqual([]);
    expect(await scene.told()).toEqual(["raised subscriber_disabled", "cleared subscriber_disabled"]);
    const heads = await installation.ctx.store.all<{ head: string }>("select head from message order by id");
    expect(messageFaults("notice.cleared", JSON.parse(heads[1]?.head ?? ""))).toEqual([]);
  });

  test("of a project is told to subscribers of all projects and of that one alone", async () => {
    const types = ["notice.raised"] as const;
    const all = await scene.listener();
    const same = await subscribe(installation, { types: [...types] });
    const { id } = await subscribe(installation, { projectId: null, types: ["report.received"] });
    await disable(id);
    await scene.look();
    expect(await deliveriesOf(installation, all)).toHaveLength(1);
    // The disabled one is of all projects.
    expect(await deliveriesOf(installation, same.id)).toEqual([]);
    await disable((await subscribe(installation)).id);
    await scene.look();
    expect(await deliveriesOf(installation, same.id)).toHaveLength(1);
  });
});

describe("the same thing is told at most once an hour", () => {
  test("however often it comes and goes, over restarts; then what it is by then", async () => {
    await scene.listener();
    const { id } = await subscribe(installation);
    for (let n = 0; n < 10; n++) {
      await disable(id);
      await scene.lookAfter(minute);
      await enable(id);
      await scene.lookAfter(minute);
      scene.restarted();
    }
    expect(await scene.told()).toEqual(["raised subscriber_disabled"]);
    expect(await scene.notices()).toMatchObject([{ times: 10 }]);
    await scene.lookAfter(hour - 20 * minute);
    expect(await scene.told()).toEqual(["raised subscriber_disabled"]);
    await scene.lookAfter(2 * minute);
    expect(await scene.told()).toEqual(["raised subscriber_disabled", "cleared subscriber_disabled"]);
    // It is back soon, and told an hour after the last message.
    await disable(id);
    await scene.lookAfter(minute);
    expect(await scene.told()).toHaveLength(2);
    await scene.lookAfter(hour);
    expect((await scene.told()).slice(2)).toEqual(["raised subscriber_disabled"]);
  });

  test("also when two processes look at the same moment", async () => {
    await scene.listener();
    await disable((await subscribe(installation)).id);
    const processes = Array.from({ length: 4 }, () => scene.restarted());
    await Promise.all(processes.map((one) => one.look()));
    expect(await scene.told()).toEqual(["raised subscriber_disabled"]);
    expect(await scene.notices()).toHaveLength(1);
  });

  test("and a clock that was set back does not silence it", async () => {
    await scene.listener();
    const { id } = await subscribe(installation);
    await disable(id);
    await scene.look();
    await enable(id);
    await scene.lookAfter(-30 * 24 * hour);
    expect(await scene.told()).toEqual(["raised subscriber_disabled", "cleared subscriber_disabled"]);
  });
});

describe("the disk", () => {
  test("is told of below its share, and clear only with a little more", async () => {
    await scene.listener();
    scene.disk = { bytes: 9.5, size: 100 };
    await scene.look();
    expect(await scene.notices()).toMatchObject([{ rule: "disk_low", subject: "", text: "9 % of the disk is free." }]);
    scene.disk = { bytes: 10.5, size: 100 };
    await scene.look();
    expect(await scene.open()).toEqual(["disk_low"]);
    scene.disk = { bytes: 11, size: 100 };
    await scene.look();
    expect(await scene.open()).toEqual([]);
    await scene.set("notice_disk_percent", "20");
    await scene.look();
    expect(await scene.open()).toEqual(["disk_low"]);
  });

  test("of a machine is left to the processes there, until none has seen it for minutes", async () => {
    scene.disk = { bytes: 1, size: 100 };
    await scene.restarted("one").look();
    scene.disk = { bytes: 90, size: 100 };
    scene.restarted("two");
    await scene.lookAfter(4 * minute);
    expect(await scene.notices("cleared_at is null")).toMatchObject([{ subject: "one" }]);
    await scene.lookAfter(2 * minute);
    expect(await scene.open()).toEqual([]);
  });
});

describe("an outage of storage", () => {
  test("is told once storage works again, with its begin, and is over then", async () => {
    await scene.listener();
    const since = scene.now;
    scene.outages.note("the disk is full", since);
    scene.now += minute;
    scene.outages.note(undefined, scene.now);
    await scene.look();
    const text = `Storage refuses writes from ${new Date(since).toISOString()} to ${new Date(scene.now).toISOString()}: the disk is full`;
    expect(await scene.notices()).toMatchObject([{ rule: "storage_refuses", raised_at: since, text }]);
    await scene.look();
    expect(await scene.open()).toEqual([]);
    expect(await scene.told()).toEqual(["raised storage_refuses"]);
  });

  test("of object storage is open while it lasts", async () => {
    scene.filesTrouble = "the bucket does not answer";
    await scene.look();
    expect(await scene.open()).toEqual(["storage_refuses"]);
    scene.filesTrouble = undefined;
    await scene.look();
    await scene.look();
    expect(await scene.open()).toEqual([]);
  });
});

test("of two processes on a machine, one that works does not clear what the other one finds", async () => {
  scene.filesTrouble = "the bucket does not answer";
  await scene.restarted("host", "1").look();
  scene.filesTrouble = undefined;
  const other = new Scene(installation, "host");
  other.restarted("host", "2");
  await other.lookAfter(minute);
  expect(await scene.notices("cleared_at is null")).toMatchObject([{ subject: "host 1", name: "host" }]);
});

describe("deliveries that were given up", () => {
  test("are told of from the threshold on, for a day", async () => {
    await scene.set("notice_dead_deliveries", "2");
    await subscribe(installation);
    for (const open of [[], ["deliveries_dead"]]) {
      await tell(installation);
      await attemptAll(installation, "failed");
      await scene.look();
      expect(await scene.open()).toEqual(open);
    }
    await scene.lookAfter(25 * hour);
    expect(await scene.open()).toEqual([]);
  });

  test("make no notice when they tell of notices, or there would be no end", async () => {
    const listener = await scene.listener();
    await disable((await subscribe(installation)).id);
    await scene.look();
    await attemptAll(
      byClock(installation, () => scene.now),
      "failed",
    );
    expect(await deliveriesOf(installation, listener)).toMatchObject([{ state: "dead" }]);
    await scene.lookAfter(2 * hour);
    expect(await scene.open()).toEqual(["subscriber_disabled"]);
    expect(await scene.told()).toHaveLength(1);
  });
});

test("credits are out at 0, and while a run waits for more than are left", async () => {
  const credits = (count: number | null) =>
    installation.ctx.store.write((tx) => tx.run("update organisation set credits = $1", [count]));
  for (const [count, open] of [
    [null, []],
    [5, []],
    [0, ["credits_out"]],
    [3, []],
  ] as const) {
    await credits(count);
    await scene.look();
    expect(await scene.open()).toEqual([...open]);
  }
});

test("a rule that is off raises nothing, clears without a word, and is back when it is on", async () => {
  await scene.listener();
  await disable((await subscribe(installation)).id);
  await scene.look();
  await scene.set("notices_off", "subscriber_disabled, disk_low");
  scene.disk = { bytes: 1, size: 100 };
  await scene.lookAfter(2 * hour);
  expect(await scene.open()).toEqual([]);
  expect(await scene.told()).toEqual(["raised subscriber_disabled"]);
  await scene.set("notices_off", "");
  await scene.lookAfter(2 * hour);
  expect((await scene.open()).sort()).toEqual(["disk_low", "subscriber_disabled"]);
  // Of what was there all the time, nothing new is told.
  expect(await scene.told()).toEqual(["raised subscriber_disabled", "raised disk_low"]);
});

test("a setting that names no rule is refused", async () => {
  await expect(scene.set("notices_off", "disk_low,disk_full")).rejects.toThrow("there is no rule disk_full");
});

test("a rule that cannot look leaves its notices as they are, and the others go on", async () => {
  scene.disk = { bytes: 1, size: 100 };
  await scene.look();
  Object.defineProperty(scene, "disk", {
    configurable: true,
    get: () => {
      throw new Error("the disk cannot be looked at");
    },
  });
  await disable((await subscribe(installation)).id);
  await scene.look();
  expect((await scene.open()).sort()).toEqual(["disk_low", "subscriber_disabled"]);
});

test("a token is told of when more of its requests are refused within an hour than the threshold", async () => {
  await scene.set("notice_token_refusals", "5");
  const { ctx, made } = installation;
  const { store, newId, audited } = ctx;
  const now = () => scene.now;
  const tally = new Tally({ store, now, cutoff: cutoffBy(now) });
  const log = new RequestLog(
    { store, now, newId, audited },
    function* () {},
    (id, count) => tally.count("", "token_refused", id, count),
  );
  const request = async (...statuses: number[]) => {
    for (const status of statuses)
      log.add(made.apiToken.id, { at: scene.now, status, replayed: false, mismatch: false });
    await log.flush();
    await tally.flush();
    await scene.look();
  };
  // What is refused for its contents is no fault of the token.
  await request(201, 400, 404, 403, 403, 429, 429, 429);
  expect(await scene.open()).toEqual([]);
  await request(403);
  expect(await scene.notices()).toMatchObject([{ rule: "token_refused", subject: made.apiToken.id, count: 6 }]);
  await scene.lookAfter(hour + 5 * minute);
  expect(await scene.open()).toEqual([]);
});

test("backups are too old when the newest good one is older than twice the time between two", async () => {
  const { store } = installation.ctx;
  await scene.look();
  const made = { endedAt: scene.now, backupId: "one", asOf: scene.now, bytes: 1, addedBytes: 1 };
  await store.write(function* (tx) {
    const number = yield* beginBackupTryStep(tx, { origin: "command", target: "a folder", startedAt: scene.now });
    yield* endBackupTryStep(tx, number, made);
    yield* backupVerifiedStep(tx, "one", { at: scene.now, failure: null });
  });
  await scene.lookAfter(47 * hour);
  expect(await scene.open()).toEqual([]);
  await scene.lookAfter(2 * hour);
  expect(await scene.open()).toEqual(["backup_old"]);
});

test("notices that are over go after 90 days, and beyond a thousand, but none that could be told of again too soon", async () => {
  const { store, newId } = installation.ctx;
  const ids = Array.from({ length: 1_010 }, newId);
  await store.write(function* (tx) {
    for (const [n, id] of ids.entries()) {
      yield* tx.run(
        `insert into notice (id, rule, subject, text, count, path, raised_at, seen_at, cleared_at, times, told, told_at)
         values ($1, 'fatal_new', $1, '', 0, '', $2, $2, $2, 1, 'raised', $3)`,
        [id, scene.now - (1_010 - n), n === 0 ? scene.now : scene.now - 2 * hour],
      );
    }
  });
  const remove = () => removeOldNotices(store, { now: scene.now, cutoff: cutoffBy(() => scene.now) });
  await remove();
  const left = await scene.notices();
  expect(left).toHaveLength(1_001);
  expect(left[0]?.id).toBe(ids[0] ?? "");
  scene.now += 91 * 24 * hour;
  await remove();
  expect(await scene.notices()).toEqual([]);
});

describe("mails to admins", () => {
  async function mails() {
    const sql = "select id, recipient, subject, body from mail where kind = 'notice' order by id";
    const rows = await installation.ctx.store.all<{ id: string; recipient: string; subject: string; body: Uint8Array }>(
      sql,
    );
    return rows.map(({ id, recipient, subject, body }) => ({
      ...{ recipient, subject },
      text: (JSON.parse(scene.sealing.open(body, bodyAbout(id))) as MailContent).text,
    }));
  }

  test("are stored when a mail server is set: one for all notices of a look, at most once an hour of the same", async () => {
    const { id } = await subscribe(installation, { name: "see www.evil.example" });
    await disable(id);
    await scene.look();
    expect(await mails()).toEqual([]);
    await enable(id);
    await scene.lookAfter(2 * hour);
    scene.now += 2 * hour;

    await scene.set("smtp_host", "mail.example.org");
    await scene.set("mail_from", "intake@example.org");
    // An admin whose address takes no mail keeps none from the others.
    await installation.ctx.store.write((tx) =>
      tx.run(
        `insert into member (id, email, name, role, password_hash, created_at)
         values ('00000000-0000-7000-8000-000000000000', 'nobody@-', 'Nobody', 'admin', 'x', 0)`,
      ),
    );
    await disable(id);
    await disable((await subscribe(installation, { name: "other" })).id);
    for (let n = 0; n < 5; n++) await scene.lookAfter(minute);
    const [mail, ...rest] = await mails();
    expect(rest).toEqual([]);
    expect(mail).toMatchObject({ recipient: "admin@example.org", subject: "Intake: 2 notices" });
    expect(mail?.text).toContain("It is disabled: answered 410 Gone.\nMend the receiver");
    // A mail program would make a link of it.
    expect(mail?.text).not.toContain("www.evil");
    await enable(id);
    await scene.lookAfter(hour);
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      "Intake: 2 notices",
      "Intake: Over: A subscriber was disabled",
    ]);
  });

  test("are of the level that the setting names, and of none", async () => {
    await scene.set("smtp_host", "mail.example.org");
    await scene.set("mail_from", "intake@example.org");
    await scene.set("notice_mail", "errors");
    await installation.ctx.store.write((tx) => tx.run("update organisation set credits = 0"));
    await scene.look();
    expect(await scene.open()).toEqual(["credits_out"]);
    expect(await mails()).toEqual([]);
    await scene.set("notice_mail", "none");
    await disable((await subscribe(installation)).id);
    await scene.look();
    expect(await mails()).toEqual([]);
  });
});
