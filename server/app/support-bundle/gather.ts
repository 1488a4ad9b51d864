import { cpus, freemem, release, totalmem } from "node:os";
import { version } from "../../../package.json";
import type { Setting } from "../../core/setting-kinds.ts";
import { settings } from "../../core/settings.ts";
import type { Reader } from "../../core/store.ts";
import { examinePlace, lineOf } from "../doctor/examine-place.ts";
import { readHolder } from "../lock.ts";
import { databaseUrl, secretKeyFile } from "../place-variables.ts";
import { countRows } from "./count-rows.ts";
import { knownSecrets } from "./known-secrets.ts";
import { lastMetrics } from "./last-metrics.ts";
import { lastLogLines } from "./log-lines.ts";
import { Redaction } from "./redact.ts";
import { withPlaceReader } from "./with-place-reader.ts";

interface Asked {
  folder: string;
  /** A log file of Intake, whose last lines are taken. */
  log: string | undefined;
  sqlite: string;
}

/** What is in every bundle, and what never is. */
export const leftOut = [
  "tokens, keys, passwords, secrets, cookies, and user and password in addresses",
  "e-mail addresses and names of people",
  "titles, descriptions, comments and every other content of tickets, reports and attachments",
  "addresses of subscribers and their messages, and answers to them",
  "values of the environment other than a few that are numbers or switches",
  "messages of errors in the log, which may quote what was stored, and lines that Intake did not write",
  "metrics by SDK, whose names senders choose",
] as const;

/** The texts of a support bundle by the name of their file. A part that cannot be made says why, and the others are made. */
export async function gatherBundle({ folder, log, sqlite }: Asked): Promise<Record<string, string>> {
  const keyPath = part(() => secretKeyFile(folder)) ?? `${folder}/secret.key`;
  const redaction = new Redaction(knownSecrets(folder, keyPath, process.env));
  const holder = readHolder(folder);
  const texts: Record<string, string> = {};
  const add = async (name: string, make: () => string | Promise<string>) => {
    let text: string;
    try {
      text = await make();
    } catch (error) {
      text = `could not be made: ${(error as Error).message}\n`;
    }
    texts[name] = redaction.text(text);
  };

  await add("version.json", () => json(versionsOf(sqlite, holder)));
  await add("doctor.txt", async () => {
    const findings = await examinePlace(folder, sqlite);
    texts["doctor.json"] = redaction.text(json(findings));
    return findings.map((finding) => `${lineOf(finding)}\n`).join("");
  });
  await add("environment.json", () => json(environmentOf(process.env)));
  await add("settings.json", () => withPlaceReader(folder, async (reader) => json(await settingsOf(reader))));
  await add("schema.json", () => withPlaceReader(folder, async (reader) => json(await schemaOf(reader))));
  await add("counts.json", () => withPlaceReader(folder, async (reader) => json(await countRows(reader))));
  await add("metrics.txt", () => lastMetrics(holder?.metricsUrl));
  if (log !== undefined) await add("log.jsonl", () => lastLogLines(log).text);
  const files = ["README.txt", ...Object.keys(texts)];
  return { "README.txt": readme(files), ...texts };
}

function part<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readme(files: readonly string[]): string {
  return [
    `Support bundle of Intake ${version}, made ${new Date().toISOString()} by: intake support-bundle`,
    "",
    "Files:",
    ...files.map((name) => `- ${name}`),
    "",
    "Left out, or replaced by [hidden] and [e-mail]:",
    ...leftOut.map((what) => `- ${what}`),
    "",
  ].join("\n");
}

function versionsOf(sqlite: string, holder: ReturnType<typeof readHolder>) {
  return {
    version,
    bun: Bun.version,
    sqlite,
    platform: `${process.platform}-${process.arch}`,
    system: release(),
    processors: cpus().length,
    memoryBytes: { total: totalmem(), free: freemem() },
    store: part(() => databaseUrl()) === undefined ? "sqlite" : "postgresql",
    server: holder ? { running: true, version: holder.version ?? null } : { running: false },
  };
}

/** Variables whose values are numbers, switches or addresses of this machine. */
const shownVariables = [
  ...["INTAKE_HOST", "INTAKE_PORT", "INTAKE_METRICS", "INTAKE_DATABASE_CONNECTIONS", "INTAKE_DRAIN"],
  ...["INTAKE_RATE_LIMITS", "INTAKE_WEBHOOK_SCHEDULE", "UV_THREADPOOL_SIZE", "TZ"],
];
const shownValue = /^[\w.,:[\]-]{1,100}$/;

/** Names of all variables that concern Intake; `true` in the place of a value that is not shown. */
function environmentOf(environment: Record<string, string | undefined>): Record<string, string | true> {
  const ours = Object.keys(environment).filter((name) => /^(INTAKE_|AWS_|BUN_|UV_|NODE_|TZ$)/.test(name));
  return Object.fromEntries(
    ours.sort().map((name) => {
      const value = environment[name] ?? "";
      return [name, shownVariables.includes(name) && shownValue.test(value) ? value : true];
    }),
  );
}

/** Numbers and choices from a list are shown; of any other setting, `true` where it is set. */
async function settingsOf(reader: Reader): Promise<Record<string, string | number | null | true>> {
  const rows = await reader.all<{ name: string; value: string }>("select name, value from setting order by name");
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  return Object.fromEntries(
    Object.entries<Setting<string | number | null>>(settings).map(([name, setting]) => {
      const text = stored.get(name);
      const value = text === undefined ? setting.default : setting.read(text);
      const shown = typeof value === "number" || value === null || setting.choices?.includes(value);
      return [name, shown ? value : true];
    }),
  );
}

async function schemaOf(reader: Reader) {
  return {
    steps: await reader.all<{ number: number; name: string }>("select number, name from migration order by number"),
  };
}
