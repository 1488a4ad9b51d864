#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { redact } from "../core/redact.ts";
import { version } from "../core/version.ts";
import { isIntakeError } from "../tickets.ts";
import { createTicket, explain, isWrongUse } from "./create-ticket.ts";
import { durationMs } from "./duration.ts";
import { type Given, readFlags, UsageError } from "./flags.ts";
import { help } from "./help.ts";
import { reportFlags, submitReport } from "./submit-report.ts";

/** `intake-client`: 0 created or received, 1 refused or unreachable, 2 typed wrongly. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes("--help") || args.includes("-h")) return say(help);
  if (args.includes("--version")) return say(version);
  try {
    const [subject, verb, ...rest] = args;
    if (subject === "report") return await report(readFlags<GivenReport>(args.slice(1), reportFlags));
    if (subject === "ticket" && verb === "create") return await create(readFlags(rest));
    throw new UsageError("there are only ticket create and report; see --help");
  } catch (error) {
    const known = isIntakeError(error);
    note(`intake-client: ${known ? explain(error) : (error as Error).message}`);
    return error instanceof UsageError || (known && isWrongUse(error)) ? 2 : 1;
  }
}

async function create({ url = process.env["INTAKE_URL"], wait, title, json, ...more }: Given): Promise<number> {
  if (!title) throw new UsageError("--title is required");
  if (!url) throw new UsageError("say where Intake answers, by --url or INTAKE_URL");
  const token = credentialFrom("INTAKE_TOKEN", "token");
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  const ticket = await createTicket({ url, token, fields: { title, ...more }, waitMs, note });
  return say(json ? escaped(JSON.stringify(ticket)) : clean(ticket.url));
}

interface GivenReport extends Record<string, string | string[] | boolean | undefined> {
  url?: string;
  wait?: string;
  title?: string;
  json?: boolean;
  attach?: string[];
}

async function report(flags: GivenReport): Promise<number> {
  const { url = process.env["INTAKE_URL"], wait, json, attach = [], ...given } = flags;
  if (!given.title) throw new UsageError("--title is required");
  if (!url) throw new UsageError("say where Intake takes reports, by --url or INTAKE_URL");
  const key = credentialFrom("INTAKE_KEY", "key");
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  const texts = given as Record<string, string | undefined>;
  const receipt = await submitReport({ url, key, given: texts, attach, waitMs, note });
  return say(json ? escaped(JSON.stringify(receipt)) : clean(receipt.eventId));
}

/** Reads a credential from the variable, or from the file that the variable with `_FILE` names. */
function credentialFrom(name: string, what: string): string {
  const file = process.env[`${name}_FILE`];
  const credential = process.env[name] || (file && readCredential(`${name}_FILE`, file));
  if (!credential) throw new UsageError(`set ${name}, or ${name}_FILE to the name of a file that holds the ${what}`);
  return credential;
}

function readCredential(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${name}: cannot read the file (${(error as NodeJS.ErrnoException).code})`);
  }
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/**
 * Writes a line to stderr without credentials: a message may repeat an argument in the wrong place, and logs of jobs
 * would keep it.
 */
function note(text: string) {
  process.stderr.write(`${clean(redact(text))}\n`);
}

/**
 * Characters that control a terminal, end a line or reverse the order of text; other people wrote the text that may
 * contain them.
 */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function clean(text: string): string {
  return text.replace(steering, " ");
}

/** JSON with the same value, in which such characters are escaped. */
function escaped(json: string): string {
  const units = (text: string) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return json.replace(steering, (text) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

// The reader of the output may stop early, such as `head`: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));
