import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickstartOnPostgres } from "./quickstart/on-postgres.ts";
import {
  binary,
  command,
  commandsToTry,
  heading,
  installAndBuild,
  isStored,
  line,
  listening,
  type Made,
  makeOrganisation,
  sampleReport,
  sendTicket,
  submitTwice,
  untilStopped,
} from "./quickstart/steps.ts";

/**
 * `bun run quickstart [-- --once]`: from a fresh checkout to a ticket and a report. Installs, builds, makes an
 * organisation with a token and an SDK key, starts the server, creates a ticket as a CI job would and submits a report
 * as an app would, sends both again, and shows that there is one of each. Stays up, unless `--once` is given.
 * With `--postgres` it shows two processes behind a load balancer instead.
 */
const once = process.argv.includes("--once");

interface List {
  items: unknown[];
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "intake-quickstart-"));
  const data = join(folder, "data");
  heading("1. Install and build");
  installAndBuild();

  heading("2. Make the organisation; secrets are shown this once");
  const made = makeOrganisation(data);

  heading("3. Start the server");
  const server = Bun.spawn(
    [binary, "serve", "--data", data, "--port", once ? "0" : "3000", ...(once ? ["--metrics", "off"] : [])],
    {
      stdout: "pipe",
      stderr: once ? "ignore" : Bun.file(join(folder, "intake.log")),
    },
  );
  const url = await listening(server);
  line("listening", url);
  try {
    await createTwice(url, data, made.apiToken.token);
    await reportTwice(url, { data, folder }, made);
    if (once) return;
    heading("8. See both in the dashboard");
    line("open", url);
    line("sign in", `${made.admin.email}, password ${made.admin.password}`);
    heading("Yours to try");
    process.stdout.write(
      `${tryIt(url, data, made)}\n\nLogs: ${join(folder, "intake.log")}. Ctrl-C stops the server.\n`,
    );
    await untilStopped([server]);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
    if (once) rmSync(folder, { recursive: true, force: true });
  }
}

async function createTwice(url: string, data: string, token: string) {
  heading("4. A CI job creates a ticket, and its retry sends the same again");
  for (const attempt of ["first", "again"]) {
    const response = await sendTicket(url, token);
    const { id } = (await response.json()) as { id: string };
    const replayed = response.headers.has("idempotent-replayed") ? ", Idempotent-Replayed: true" : "";
    line(attempt, `${response.status}, ticket ${id}${replayed}`);
    if (response.status !== 201) throw new Error("the ticket was not created");
  }

  heading("5. What is on the board");
  process.stdout.write(command([binary, "ticket", "list", "--data", data]));
  const list = JSON.parse(command([binary, "ticket", "list", "--data", data, "--json"])) as List;
  if (list.items.length !== 1) throw new Error(`there should be one ticket, there are ${list.items.length}`);
  line("result", "two requests, one ticket");
}

async function reportTwice(
  url: string,
  { data, folder }: { data: string; folder: string },
  { sdkKey: { key }, project: { id: project } }: Made,
) {
  heading("6. An app submits a report with a screenshot, and its retry sends the same again");
  const report = await sampleReport();
  const eventId = await submitTwice(report, url, key);

  heading("7. What was stored, read back");
  process.stdout.write(command([binary, "event", "list", "--project", project, "--data", data]));
  const list = JSON.parse(command([binary, "event", "list", "--project", project, "--data", data, "--json"])) as List;
  if (list.items.length !== 1) throw new Error(`there should be one report, there are ${list.items.length}`);
  if (!(await isStored(report, eventId, { data, folder }))) throw new Error("what was stored is not what was sent");
  line("result", "two submissions, one report; envelope and screenshot are byte for byte what was sent");
}

function tryIt(url: string, data: string, made: Made): string {
  return `${commandsToTry(url, made)}

dist/intake ticket list --data ${data}
dist/intake event list --project ${made.project.id} --data ${data}`;
}

await (process.argv.includes("--postgres") ? quickstartOnPostgres({ once }) : main()).catch((error: Error) => {
  process.stderr.write(`quickstart: ${error.message}\n`);
  process.exitCode = 1;
});
