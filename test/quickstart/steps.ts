import { join } from "node:path";

/** What both quick starts print, run and send. */
export const root = join(import.meta.dir, "../..");
export const binary = join(root, "dist/intake");

export interface Made {
  admin: { email: string; password: string };
  project: { id: string };
  apiToken: { token: string };
  sdkKey: { key: string };
}

export function heading(text: string) {
  process.stdout.write(`\n${text}\n`);
}

export function line(name: string, text: string) {
  process.stdout.write(`  ${name.padEnd(10)} ${text}\n`);
}

/** Runs a command to its end and returns what it printed. */
export function command(words: string[], env: Readonly<Record<string, string>> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd: root, env: { ...process.env, ...env } });
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout.toString();
}

export function installAndBuild() {
  command([process.execPath, "install", "--frozen-lockfile", "--silent"]);
  command([process.execPath, "server/build.ts"]);
}

/** Makes the organisation of a new installation, and shows what is shown only then. */
export function makeOrganisation(data: string, env?: Readonly<Record<string, string>>): Made {
  const init = ["init", "--org", "Example", "--admin-email", "admin@example.org", "--data", data, "--json"];
  const made = JSON.parse(command([binary, ...init], env)) as Made;
  line("admin", `${made.admin.email}, password ${made.admin.password}`);
  line("API token", made.apiToken.token);
  line("SDK key", made.sdkKey.key);
  return made;
}

/** The address that a server prints when it listens. */
export async function listening(server: Bun.Subprocess<"ignore" | "inherit", "pipe">): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of server.stdout) {
    text += decoder.decode(chunk, { stream: true });
    const url = /listening on (\S+)\n/.exec(text)?.[1];
    if (url) return url;
  }
  throw new Error("the server ended; is port 3000 in use?");
}

/** Creates a ticket as a CI job does. Each call sends the same. */
export function sendTicket(url: string, token: string): Promise<Response> {
  return fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": "nightly-build-7312",
    },
    body: JSON.stringify({ title: "Nightly build failed", priority: "high" }),
  });
}

interface SampleReport {
  envelope: string;
  screenshot: Uint8Array;
  /** Submits it as an app does. Each call sends the same. */
  send: (url: string, key: string) => Promise<Response>;
}

export async function sampleReport(): Promise<SampleReport> {
  const envelope = JSON.stringify({
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
  form.append("envelope", new Blob([Bun.gzipSync(envelope)], { type: "application/gzip" }), "envelope.json.gz");
  form.append("attachment_0", new Blob([screenshot], { type: "image/png" }), "screen.png");
  const send = (url: string, key: string) =>
    fetch(`${url}/api/ingest`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
  return { envelope, screenshot, send };
}

/** Submits a report twice, as an app does that got no answer, and returns the one event that it became. */
export async function submitTwice(report: SampleReport, url: string, key: string): Promise<string> {
  let eventId = "";
  for (const attempt of ["first", "again"]) {
    const response = await report.send(url, key);
    const answer = (await response.json()) as { eventId: string; idempotent: boolean };
    line(attempt, `${response.status}, event ${answer.eventId}${answer.idempotent ? ", idempotent: true" : ""}`);
    if (response.status !== 200) throw new Error("the report was not received");
    if (eventId !== "" && eventId !== answer.eventId) throw new Error("the report was stored twice");
    eventId = answer.eventId;
  }
  return eventId;
}

/** Whether the stored envelope and screenshot of an event are those of the report, as `intake event` reads them back. */
export async function isStored(
  { envelope, screenshot }: SampleReport,
  eventId: string,
  { data, folder, env }: { data: string; folder: string; env?: Readonly<Record<string, string>> },
): Promise<boolean> {
  const [text, picture] = [join(folder, "envelope.json"), join(folder, "screen.png")];
  command([binary, "event", "envelope", eventId, "--output", text, "--data", data], env);
  command([binary, "event", "attachment", eventId, "0", "--output", picture, "--data", data], env);
  return (
    (await Bun.file(text).text()) === envelope && Buffer.compare(await Bun.file(picture).bytes(), screenshot) === 0
  );
}

export function commandsToTry(url: string, { apiToken, sdkKey }: Made): string {
  return `curl ${url}/api/v1/tickets -H 'Authorization: Bearer ${apiToken.token}' \\
  -H 'Content-Type: application/json' -d '{"title":"Hello from curl"}'

curl ${url}/api/ingest -H 'Authorization: Bearer ${sdkKey.key}' \\
  -F 'envelope={"title":"Hello from curl"};type=application/json' -F attachment_0=@test/screen.png`;
}

/**
 * Resolves when the process is to end: at Ctrl-C, or when a server has ended by itself. Another Ctrl-C meanwhile changes
 * nothing: `bun run` passes on the one that the terminal has sent already.
 */
export function untilStopped(servers: readonly Bun.Subprocess[]): Promise<unknown> {
  return Promise.race([
    ...servers.map(({ exited }) => exited),
    new Promise((resolve) => process.on("SIGINT", resolve).on("SIGTERM", resolve)),
  ]);
}
