import { appendFileSync, readFileSync } from "node:fs";
import { IntakeRunner } from "../../client/src/runner.ts";
import type { Accepted } from "./accepted.ts";

/**
 * `bun runner-process.ts NAME COUNT TOKEN URL-FILE RECORD`: this many runners in one process, which tests kill. The
 * address is read at every request, because a restarted server has another one. Every call that the server accepted is
 * recorded on a line.
 */
const [name = "", count = "", token = "", urlFile = "", record = ""] = process.argv.slice(2);
const placeholder = "http://intake.invalid";

for (let i = 0; i < Number(count); i++) void work(`${name}/${i}`);

async function work(who: string) {
  const intake = new IntakeRunner({
    url: placeholder,
    token,
    maxRetries: 100,
    fetch: (url, init) => fetch(url.replace(placeholder, readFileSync(urlFile, "utf8")), init),
  });
  for (let n = 0; ; n++) {
    try {
      await execute(intake, `${who}/${n}`);
    } catch {
      // The run was lost to another runner, or the server was away too long: claim the next one.
    }
  }
}

async function execute(intake: IntakeRunner, lease: string) {
  const sent = now();
  const run = await intake.claim({ runner: { name, version: "1", labels: [] }, waitSeconds: 2 });
  if (!run) return;
  const { id, attempt } = run.run;
  write({ run: id, lease, call: "claim", sent, answered: now(), attempt });
  const used = Math.floor(Math.random() * 13);
  await accepted("heartbeat", () => run.heartbeat({ progress: "Working", creditsUsed: Math.floor(used / 2) }));
  await accepted("log", () => run.appendLog(`${lease} begins\n`));
  await Bun.sleep(Math.random() * 150);
  await accepted("log", () => run.appendLog(`${lease} ends\n`));
  await accepted("complete", () => run.complete({ outcome: "succeeded", summary: lease, creditsUsed: used }), used);

  async function accepted(call: Accepted["call"], make: () => Promise<unknown>, used?: number) {
    const sent = now();
    const answer = await make();
    // A second completion gets the answer to the first one.
    if (call === "complete" && (answer as { summary?: string }).summary !== lease) return;
    write({ run: id, lease, call, sent, answered: now(), ...(used === undefined ? {} : { used }) });
  }
}

/** A clock that all processes share, finer than milliseconds. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function write(line: Accepted) {
  appendFileSync(record, `${JSON.stringify(line)}\n`);
}
