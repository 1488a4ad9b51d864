#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { redact } from "../core/redact.ts";
import { version } from "../core/version.ts";
import { isIntakeError } from "../tickets.ts";
import { createTicket, explain, isWrongUse } from "./create-ticket.ts";
import { durationMs } from "./duration.ts";
import { type Given, readFlags, UsageError } from "./flags.ts";
import { help } from "./help.ts";

/** `intake-client`: 0 created, 1 refused or unreachable, 2 typed wrongly. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes("--help") || args.includes("-h")) return say(help);
  if (args.includes("--version")) return say(version);
  try {
    const [subject, verb, ...rest] = args;
    if (subject !== "ticket" || verb !== "create") throw new UsageError("there is only ticket create; see --help");
    return await create(readFlags(rest));
  } catch (error) {
    const known = isIntakeError(error);
    note(`intake-client: ${known ? explain(error) : (error as Error).message}`);
    return error instanceof UsageError || (known && isWrongUse(error)) ? 2 : 1;
  }
}

async function create({ url = process.env["INTAKE_URL"], wait, title, json, ...more }: Given): Promise<number> {
  const { INTAKE_TOKEN, INTAKE_TOKEN_FILE } = process.env;
  if (!title) throw new UsageError("--title is required");
  if (!url) throw new UsageError("say where Intake answers, by --url or INTAKE_URL");
  const token = INTAKE_TOKEN || (INTAKE_TOKEN_FILE && readToken(INTAKE_TOKEN_FILE));
  if (!token) throw new UsageError("set INTAKE_TOKEN, or INTAKE_TOKEN_FILE to the name of a file that holds the token");
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  const ticket = await createTicket({ url, token, fields: { title, ...more }, waitMs, note });
  return say(json ? escaped(JSON.stringify(ticket)) : clean(ticket.url));
}

function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`INTAKE_TOKEN_FILE: cannot read the file (${(error as NodeJS.ErrnoException).code})`);
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
