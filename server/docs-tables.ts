import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../openapi/schema/errors.ts";
import { limits } from "../openapi/schema/limits.ts";
import { type FieldSchema, fieldEntries, kindOf } from "../openapi/schema/ticket-fields.ts";
import { findingCodes } from "./app/doctor/finding-codes.ts";
import { commonOptions } from "./cli/command.ts";
import { commands } from "./cli/commands.ts";
import type { OptionSpec } from "./cli/options.ts";
import { serveOptions } from "./cli/serve.ts";
import type { Field } from "./core/fields.ts";
import { settings } from "./core/settings.ts";
import { rules } from "./notices/rules.ts";
import { subscriberFields } from "./webhooks/subscribers/subscriber-fields.ts";

/**
 * `bun server/docs-tables.ts [--check]`: writes the tables under docs/ and in the README of the SDK that the code knows better. A table stands
 * between `<!-- generated: NAME -->` and `<!-- end -->`. With `--check` nothing is written; exit 1 when a table is out
 * of date.
 */
const folder = join(import.meta.dir, "..");
const tables: Record<string, { name: string; text: string }> = {
  "docs/configuration.md": { name: "configuration", text: configuration() },
  "docs/limits.md": { name: "limits", text: limitTable() },
  "docs/tickets.md": { name: "ticket fields", text: ticketTable() },
  "client/README.md": { name: "ticket fields", text: ticketTable() },
  "docs/webhooks.md": { name: "subscriber fields", text: subscriberTable() },
  "docs/errors.md": { name: "errors", text: errorTable() },
  "docs/diagnosis.md": { name: "finding codes", text: findingTable() },
  "docs/notices.md": { name: "notice rules", text: noticeTable() },
  "docs/command-line.md": { name: "commands", text: commandTable() },
};

for (const [page, { name, text }] of Object.entries(tables)) {
  const path = join(folder, page);
  const written = readFileSync(path, "utf8");
  const wanted = withTable(written, name, text);
  if (!process.argv.includes("--check")) writeFileSync(path, wanted);
  else if (wanted !== written) {
    process.stderr.write(`${page} is not what the code says; run: bun server/docs-tables.ts\n`);
    process.exitCode = 1;
  }
}

function withTable(page: string, name: string, table: string): string {
  const start = `<!-- generated: ${name} -->\n`;
  const from = page.indexOf(start) + start.length;
  const to = page.indexOf("<!-- end -->", from);
  if (from < start.length || to < 0) throw new Error(`no page has a block ${start.trim()} … <!-- end -->`);
  return `${page.slice(0, from)}\n${table}\n\n${page.slice(to)}`;
}

function configuration(): string {
  const flags = Object.entries<OptionSpec<unknown>>({ ...commonOptions, ...serveOptions }).map(([name, spec]) => [
    code(flagOf(name, spec)),
    spec.env ? code(spec.env) : "",
    spec.kind === "value" && spec.absent !== undefined ? code(String(spec.absent)) : "",
    spec.about,
  ]);
  const stored = Object.entries(settings).map(([name, setting]) => [
    code(name),
    typeof setting.default === "number" ? count(setting.default) : (setting.default ?? "none"),
    setting.bounds,
    setting.about,
  ]);
  return [
    table(["Flag of `serve`", "Environment", "Default", "What it is"], flags),
    "",
    table(["Setting in the database", "Default", "Bounds", "What it is"], stored),
  ].join("\n");
}

/** Every limit has to be taken out by name: one that is forgotten here does not compile. */
function limitTable(): string {
  const {
    requestsPerWindow,
    windowSeconds,
    readingSeconds,
    requestsPerWindowMin,
    requestsPerWindowMax,
    titleMin: _,
    titleMax: __,
    descriptionMax: ___,
    idempotencyKeyMin,
    idempotencyKeyMax,
    ticketBodyBytes,
    bodySeconds,
    faultsMax,
    faultPathMax,
    requestsPerAddress,
    ingestBodyBytes,
    envelopeBytes,
    packedEnvelopeBytes,
    parts,
    partHeaderBytes,
    partNameMax,
    uploadBytes,
    slowBytes,
    slowSeconds,
    indexValueMax,
    tagsMax,
    tagKeyMax,
    tagValueMax,
    referencesMax,
    pausedRetrySeconds,
    originsMax,
    subscribersMax,
    reportTypesMax,
    ownHeadersMax,
    ownHeadersBytes,
    columnCards,
    countedCards,
    columnsMax,
    boardsMax,
    cardLimitMax,
    commentMax,
    mentionsMax,
    cardsPerCall,
    restoreDays,
    nameMax,
    urlMax,
    emailMax,
    passwordMin,
    passwordMax,
    pageDefault,
    pageMax,
    inviteDays,
    resetMinutes,
    signInLinkMinutes,
    sessionDays,
    sessionDaysMax: _days,
    sessionIdleHours,
    sessionIdleHoursMax: _hours,
    sessionsMax,
    passwordMinutes,
    signInFailures,
    sharedSignInFailures,
    sharedSignInFailuresPerMinute,
    signInsPerMinute,
    strangerCallsPerMinute,
    requestLogDays,
    providersMax,
    providerIdMax,
    clientIdMax,
    clientSecretMax,
    groupsMax,
    providerSeconds,
    providerMinutes,
    passkeysMax,
    recoveryCodes,
    passkeyMinutes,
    secondStepMinutes,
    claimWaitSeconds,
    runnerLabelsMax,
    runnerRequestsPerWindow,
    creditsMax,
    runProgressMax,
    runSummaryMax,
    runBranchMax,
    runUrlMax,
    runLogBytes,
    runLogTextMax,
    leaseSeconds,
    heartbeatSeconds,
    runAttempts,
    runQueueHours,
    runHours,
    ...forgotten
  } = limits;
  forgotten satisfies Record<keyof typeof forgotten, never>;

  return table(
    ["Limit", "Value"],
    [
      ["Requests of one token", `${count(requestsPerWindow)} in any ${windowSeconds} s`],
      [
        "The same, set per token with `--limit`",
        `${count(requestsPerWindowMin)} to ${count(requestsPerWindowMax)} in any ${windowSeconds} s`,
      ],
      ...fieldEntries.flatMap(([, { label, schema, help }]) =>
        schema.maxLength || schema.maxItems ? [[`Ticket ${label.toLowerCase()}`, help]] : [],
      ),
      ["`Idempotency-Key`", `${idempotencyKeyMin} to ${idempotencyKeyMax} characters`],
      ["Body of a ticket request", `${count(ticketBodyBytes)} bytes`],
      ["Time for a body to arrive", `${bodySeconds} s`],
      ["Faults named in one `invalid_input`", `the first ${faultsMax}`],
      ["`path` of a fault", `cut after ${faultPathMax} characters`],
      ["Reports of one SDK key", `${count(requestsPerWindow)} in any ${windowSeconds} s`],
      ["Reading large envelopes of one SDK key", `${readingSeconds} s of processor time in any ${windowSeconds} s`],
      ["Reports from one source address", `${count(requestsPerAddress)} in any ${windowSeconds} s`],
      ["Body of a report", `${count(ingestBodyBytes)} bytes`],
      ["Envelope, unpacked", `${count(envelopeBytes)} bytes`],
      ["Envelope, packed", `${count(packedEnvelopeBytes)} bytes`],
      ["Parts of a report", `${parts}: the envelope and ${parts - 1} attachments`],
      ["Headers of a part", `${count(partHeaderBytes)} bytes`],
      ["Name of a part", `${partNameMax} characters; file names and media types are cut there`],
      ["A body counts as an upload", `above ${count(uploadBytes)} bytes`],
      ["A slow body is given up", `below ${count(slowBytes)} bytes in any ${slowSeconds} s`],
      ["Indexed values of an envelope", `cut after ${indexValueMax} characters`],
      ["Tags", `${tagsMax}, name up to ${tagKeyMax} and value up to ${tagValueMax} characters`],
      ["Entries of `attachments` that are looked at", `the first ${referencesMax}`],
      ["`Retry-After` of a paused SDK key", `${count(pausedRetrySeconds)} s`],
      ["Origins of an SDK key", `up to ${originsMax}`],
      ["Requests of one token to the runner protocol", `${count(runnerRequestsPerWindow)} in any ${windowSeconds} s`],
      ["A claim waits for a run", `up to ${claimWaitSeconds} s`],
      ["Lease of a run, and how often to renew it", `${leaseSeconds} s, every ${heartbeatSeconds} s`],
      ["Attempts of a run", `${runAttempts}: a second one when its runner vanished`],
      ["A run in the queue, and under way", `${runQueueHours} h, ${runHours} h`],
      ["Log of a run", `${count(runLogBytes)} bytes, ${count(runLogTextMax)} characters in one append`],
      [
        "Summary, progress, branch and pull request of a run",
        `${count(runSummaryMax)}, ${runProgressMax}, ${runBranchMax} and ${count(runUrlMax)} characters`,
      ],
      ["Labels of a runner", `up to ${runnerLabelsMax}`],
      ["Identity providers", `${providersMax}, with up to ${groupsMax} groups of each role`],
      ["Passkeys of one member; recovery codes", `${passkeysMax}; ${recoveryCodes}`],
      [
        "A passkey answers, a second factor follows the first",
        `within ${passkeyMinutes} and ${secondStepMinutes} minutes`,
      ],
      [
        "An identity provider answers, and a sign-in with it ends",
        `within ${providerSeconds} s, and ${providerMinutes} minutes`,
      ],
      ["Credits of one grant or run", `up to ${count(creditsMax)}`],
      ["Subscribers", `${subscribersMax} of a project, and as many of every project`],
      ["Types of reports that a subscriber names", `up to ${reportTypesMax}, ${indexValueMax} characters each`],
      ["Own headers of a subscriber", `up to ${ownHeadersMax}, ${count(ownHeadersBytes)} bytes in all`],
      ["Names (token, SDK key, project, board, column, member, organisation)", `up to ${nameMax} characters`],
      ["Addresses (public URL, repository, subscriber, origin)", `up to ${count(urlMax)} characters`],
      ["E-mail address", `up to ${emailMax} characters`],
      ["Password", `${passwordMin} to ${count(passwordMax)} characters, none that guessers try first`],
      ["Items on a page of a list", `${pageDefault}, at most ${pageMax}`],
      ["Invitation link", `${inviteDays} days, one use`],
      ["Link to reset a password", `${resetMinutes} minutes, one use`],
      [
        "Session of a member",
        `${sessionDays} days, ${sessionIdleHours / 24} without use, or as [settings](configuration.md) say; ${sessionsMax} of one member`,
      ],
      ["Password asked for again before sensitive acts", `after ${passwordMinutes} minutes`],
      [
        "Signing in, following links and setting up, from one source address",
        `${strangerCallsPerMinute} in any ${windowSeconds} s; a body has 5 s`,
      ],
      ["Sign-ins from one source address", `${signInsPerMinute} in any ${windowSeconds} s`],
      [
        "Failed sign-ins of one account from one address",
        `${signInFailures}, then each try waits 2 s, 4 s and so on, up to 5 minutes`,
      ],
      [
        "The same from all networks that it is not known from, together",
        `${sharedSignInFailures}, then ${sharedSignInFailuresPerMinute} a minute`,
      ],
      ["Request log of a token", `${requestLogDays} days`],
    ],
  );
}

/** What a ticket is made of. */
function ticketTable(): string {
  const rows = fieldEntries.map(([name, { schema, required, help }]) => [
    required ? `${code(name)}, required` : code(name),
    `${typeText(schema, help)}${Array.isArray(schema.type) ? ", or null" : ""}`,
    schema.description + (typeof schema.default === "string" ? ` Without it ${code(schema.default)}.` : ""),
  ]);
  return table(["Field", "Type", "What it is"], rows);
}

function typeText(schema: FieldSchema, help: string): string {
  const kind = kindOf(schema);
  if (kind === "choice") return (schema.enum ?? []).map(code).join(", ");
  return { uuid: "UUID", date: code("YYYY-MM-DD"), list: `list of strings, ${help}`, text: `string, ${help}` }[kind];
}

/** What can be set of a subscriber; the command line does not know all of it. */
function subscriberTable(): string {
  const rows = Object.values<Field>(subscriberFields).map(({ label = "", flag }) => {
    return [label, flag ? code([`--${flag.name}`, flag.placeholder].filter(Boolean).join(" ")) : "", flag?.about ?? ""];
  });
  return table(["Field", "Flag", "What it is"], rows);
}

function errorTable(): string {
  const rows = Object.entries(errors).map(([name, { status, message }]) => {
    return [String(status), code(name), message.replaceAll("<", "&lt;")];
  });
  return table(["Status", "`error`", "`message`"], rows);
}

function findingTable(): string {
  const rows = Object.entries(findingCodes).map(([name, { severity, about, remedy }]) => {
    return [code(name), severity, about, remedy];
  });
  return table(["Code", "Severity", "What it means", "What to do"], rows);
}

function noticeTable(): string {
  const rows = rules.map(({ name, title, level, about, remedy, threshold }) => {
    return [code(name), level, `${title}. ${about}`, remedy, threshold === undefined ? "" : code(threshold)];
  });
  return table(["Rule", "Level", "What it means", "What to do", "Threshold"], rows);
}

/** With the flags that must be given; `--help` names the others. */
function commandTable(): string {
  const rows = commands.map(({ name, words, options, summary }) => {
    const flags = Object.entries(options).flatMap(([flag, spec]) => (spec.required ? [flagOf(flag, spec)] : []));
    return [code(["intake", name, ...words, ...flags].join(" ")), summary];
  });
  return table(["Command", "What it does"], rows);
}

function flagOf(name: string, { placeholder }: OptionSpec<unknown>): string {
  return placeholder ? `--${name} ${placeholder}` : `--${name}`;
}

/** Padded as the formatter wants it. */
function table(head: string[], body: string[][]): string {
  const rows = [head, ...body].map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = rows;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
