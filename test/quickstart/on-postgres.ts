import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, installS3Server } from "../s3-server/install.ts";
import { programsOfPostgres, sharedPostgres } from "../support/postgres.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { startBalancer } from "./balancer.ts";
import {
  binary,
  command,
  commandsToTry,
  heading,
  installAndBuild,
  isStored,
  line,
  listening,
  makeOrganisation,
  sampleReport,
  sendTicket,
  submitTwice,
  untilStopped,
} from "./steps.ts";

/**
 * `bun run quickstart -- --postgres [--once]`: two server processes behind a load balancer, with a PostgreSQL and an S3
 * server of their own in a scratch folder. A ticket is created by one process and replayed by the other, and a report
 * with a screenshot is submitted through the balancer and read back. Stays up, unless `--once` is given.
 */
export async function quickstartOnPostgres({ once }: { once: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), "intake-quickstart-"));
  const ending: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    heading("1. Install and build");
    installPrograms();
    installS3Server((name) => line("building", `${name}, an S3 server: some minutes, this once`));
    installAndBuild();

    heading("2. Start PostgreSQL and an S3 server");
    const postgres = await sharedPostgres();
    const database = await postgres.createDatabase();
    const storage = await S3Server.start();
    ending.push(database.drop, () => storage.stop());
    const env = {
      ...s3Environment,
      INTAKE_DATABASE_URL: database.url,
      INTAKE_FILES: storage.newPlace("reports"),
      INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
    };
    line("PostgreSQL", database.url);
    line("bucket", env.INTAKE_FILES);

    heading("3. Make the organisation; secrets are shown this once");
    const data = join(folder, "command-line");
    const made = makeOrganisation(data, env);

    heading("4. Start two processes and a load balancer");
    const balancer = startBalancer({ port: once ? 0 : 3000 });
    ending.push(balancer.stop);
    const servers = ["one", "other"].map((name) =>
      serve(join(folder, name), { ...env, INTAKE_PUBLIC_URL: balancer.url }),
    );
    ending.push(() =>
      Promise.all(
        servers.map((server) => {
          server.kill("SIGTERM");
          return server.exited;
        }),
      ),
    );
    const [one = "", other = ""] = await Promise.all(servers.map(listening));
    balancer.processes.push(one, other);
    line("one", one);
    line("other", other);
    line("balancer", balancer.url);

    await replayTicket({ one, other }, made.apiToken.token);
    await readBackReport(balancer.url, made.sdkKey.key, { data, folder, env });
    if (once) return;

    heading("7. See both in the dashboard, through the balancer");
    line("open", balancer.url);
    line("sign in", `${made.admin.email}, password ${made.admin.password}`);
    heading("Yours to try; kill one of the two, and all goes on");
    const pids = servers.map(({ pid }) => pid).join(" or ");
    process.stdout.write(
      `${commandsToTry(balancer.url, made)}\n\nkill ${pids}\n\nLogs: ${folder}. Ctrl-C stops everything.\n`,
    );
    await untilStopped([]);
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

/** Installs what PostgreSQL and the S3 server need, as `bun run verify` does. */
function installPrograms() {
  const missing = [
    ...(programsOfPostgres() ? [] : ["postgresql"]),
    ...(Bun.file(installed.server).size > 0 || Bun.which("go") ? [] : ["golang-go"]),
  ];
  if (missing.length === 0) return;
  line("installing", missing.join(", "));
  command(["apt-get", "update", "-qq"]);
  command(["apt-get", "install", "-y", "-qq", ...missing], { DEBIAN_FRONTEND: "noninteractive" });
}

function serve(data: string, env: Readonly<Record<string, string>>) {
  const options = ["--data", data, "--port", "0", "--metrics", "off", "--trusted-proxies", "127.0.0.1"];
  return Bun.spawn([binary, "serve", ...options], {
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: Bun.file(`${data}.log`),
  });
}

async function replayTicket(processes: Readonly<Record<"one" | "other", string>>, token: string) {
  heading("5. A CI job creates a ticket through one process, and its retry meets the other");
  const bodies: string[] = [];
  for (const [name, url] of Object.entries(processes)) {
    const response = await sendTicket(url, token);
    const body = await response.text();
    if (response.status !== 201) throw new Error(`the ticket was not created: ${body}`);
    const replayed = response.headers.has("idempotent-replayed") ? ", Idempotent-Replayed: true" : "";
    line(name, `${response.status}, ticket ${(JSON.parse(body) as { id: string }).id}${replayed}`);
    bodies.push(body);
  }
  if (bodies[0] !== bodies[1]) throw new Error("the two answers differ");
  line("result", "two processes, one ticket, the same bytes");
}

async function readBackReport(url: string, key: string, place: Parameters<typeof isStored>[2]) {
  heading("6. An app submits a report with a screenshot through the balancer, twice: once to each process");
  const report = await sampleReport();
  const eventId = await submitTwice(report, url, key);
  if (!(await isStored(report, eventId, place))) throw new Error("what was stored is not what was sent");
  line("result", "two submissions, one report; envelope and screenshot are byte for byte what was sent");
}
