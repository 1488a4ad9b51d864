import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `bun run quickstart [-- --once]`: from a fresh checkout to a ticket and a report. Installs, builds, makes an
 * organisation with a token and an SDK key, starts the server, creates a ticket as a CI job would and submits a report
 * as an app would, sends both again, and shows that there is one of each. Stays up, unless `--once` is given.
 */
const root = join(import.meta.dir, "..");
const binary = join(root, "dist/intake");
const once = process.argv.includes("--once");
const folder = mkdtempSync(join(tmpdir(), "intake-quickstart-"));
const data = join(folder, "data");

interface Made {
  admin: { email: string; password: string };
  project: { id: string };
  apiToken: { token: string };
  sdkKey: { key: string };
}

interface List {
  items: unknown[];
}

async function main() {
  heading("1. Install and build");
  command([process.execPath, "install", "--frozen-lockfile", "--silent"]);
  command([process.execPath, "server/build.ts"]);

  heading("2. Make the organisation; secrets are shown this once");
  const init = ["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", data, "--json"];
  const made = JSON.parse(command([binary, ...init])) as Made;
  line("admin", `${made.admin.email}, password ${made.admin.password}`);
  line("API token", made.apiToken.token);
  line("SDK key", made.sdkKey.key);

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
    await createTwice(url, made.apiToken.token);
    await reportTwice(url, made.sdkKey.key, made.project.id);
    if (once) return;
    heading("8. See both in the dashboard");
    line("open", url);
    line("sign in", `${made.admin.email}, password ${made.admin.password}`);
    heading("Yours to try");
    process.stdout.write(`${tryIt(url, made)}\n\nLogs: ${join(folder, "intake.log")}. Ctrl-C stops the server.\n`);
    await Promise.race([
      server.exited,
      new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve)),
    ]);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
    if (once) rmSync(folder, { recursive: true, force: true });
  }
}

async function createTwice(url: string, token: string) {
  heading("4. A CI job creates a ticket, and its retry sends the same again");
  const job = () =>
    fetch(`${url}/api/v1/tickets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "nightly-build-7312",
      },
      body: JSON.stringify({ title: "Nightly build failed", priority: "high" }),
    });
  for (const attempt of ["first", "again"]) {
    const response = await job();
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

async function reportTwice(url: string, key: string, project: string) {
  heading("6. An app submits a report with a screenshot, and its retry sends the same again");
  const report = JSON.stringify({
    version: 1,
    reportId: Bun.randomUUIDv7(),
    type: "crash",
    level: "error",
    title: "TypeError: total is undefined",
    app: { name: "shop", version: "4.2.0", environment: "production" },
    attachments: [{ part: "attachment_0", filename: "screen.png", contentType: "image/png", kind: "screenshot" }],
  });
  const screenshot = await Bun.file(join(root, "test/screen.png")).bytes();
  const form = new FormData();
  form.append("envelope", new Blob([Bun.gzipSync(report)], { type: "application/gzip" }), "envelope.json.gz");
  form.append("attachment_0", new Blob([screenshot], { type: "image/png" }), "screen.png");

  let eventId = "";
  for (const attempt of ["first", "again"]) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/api/ingest`, { method: "POST", headers, body: form });
    const answer = (await response.json()) as { eventId: string; idempotent: boolean };
    line(attempt, `${response.status}, event ${answer.eventId}${answer.idempotent ? ", idempotent: true" : ""}`);
    if (response.status !== 200) throw new Error("the report was not received");
    eventId ||= answer.eventId;
  }

  heading("7. What was stored, read back");
  process.stdout.write(command([binary, "event", "list", "--project", project, "--data", data]));
  const list = JSON.parse(command([binary, "event", "list", "--project", project, "--data", data, "--json"])) as List;
  if (list.items.length !== 1) throw new Error(`there should be one report, there are ${list.items.length}`);
  const [envelope, picture] = [join(folder, "envelope.json"), join(folder, "screen.png")];
  command([binary, "event", "envelope", eventId, "--output", envelope, "--data", data]);
  command([binary, "event", "attachment", eventId, "0", "--output", picture, "--data", data]);
  const same =
    (await Bun.file(envelope).text()) === report && Buffer.compare(await Bun.file(picture).bytes(), screenshot) === 0;
  if (!same) throw new Error("what was stored is not what was sent");
  line("result", "two submissions, one report; envelope and screenshot are byte for byte what was sent");
}

function command(words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd: root });
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout.toString();
}

async function listening(server: Bun.Subprocess<"ignore" | "inherit", "pipe">): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of server.stdout) {
    text += decoder.decode(chunk, { stream: true });
    const url = /listening on (\S+)\n/.exec(text)?.[1];
    if (url) return url;
  }
  throw new Error("the server ended; is port 3000 in use?");
}

function tryIt(url: string, { apiToken, sdkKey, project }: Made): string {
  return `curl ${url}/api/v1/tickets -H 'Authorization: Bearer ${apiToken.token}' \\
  -H 'Content-Type: application/json' -d '{"title":"Hello from curl"}'

curl ${url}/api/ingest -H 'Authorization: Bearer ${sdkKey.key}' \\
  -F 'envelope={"title":"Hello from curl"};type=application/json' -F attachment_0=@test/screen.png

dist/intake ticket list --data ${data}
dist/intake event list --project ${project.id} --data ${data}`;
}

function heading(text: string) {
  process.stdout.write(`\n${text}\n`);
}

function line(name: string, text: string) {
  process.stdout.write(`  ${name.padEnd(10)} ${text}\n`);
}

await main().catch((error: Error) => {
  process.stderr.write(`quickstart: ${error.message}\n`);
  process.exitCode = 1;
});
