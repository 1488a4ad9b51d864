import type { Budget } from "../budget.ts";
import type { Machine } from "../machine.ts";
import { names } from "../names.ts";
import { budgetsTable, describe, loadTable, megabytes, rowsTable } from "../report-tables.ts";
import type { RowCount } from "../row-count.ts";
import { table } from "../table.ts";
import type { BigTable } from "./big-table.ts";
import { type Bombs, bombConnections } from "./bombs.ts";
import type { Comparison } from "./compare.ts";
import { type Uploads, uploadBytes } from "./uploads.ts";

/** Only what was asked for. */
export interface Results {
  small?: Comparison;
  attachment?: Comparison;
  megabyte?: Comparison;
  uploads?: Uploads[];
  bombs?: Bombs;
  full?: BigTable;
}

interface Report extends Results {
  machine: Machine;
  settings: { rounds: number; seconds: number; connections: number };
  rows: RowCount[];
  budgets: Budget[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present(report: Report): string {
  const { machine, settings, small, uploads, bombs, full, rows, budgets, leftOut } = report;
  const { rounds, seconds, connections } = settings;
  const sections = [
    `POST /api/ingest, ${connections} connections, median of ${rounds} interleaved rounds of ${seconds} s`,
    ...leftOut,
  ];
  if (small) {
    const { envelopeBytes, jsonBytes } = small.bodies;
    sections.push(`Small: gzip of ${envelopeBytes} bytes, ${jsonBytes} unpacked`, comparisonTable(small));
  }
  for (const attachment of [report.attachment, report.megabyte]) {
    if (!attachment) continue;
    const { jsonBytes, attachmentBytes } = attachment.bodies;
    const title = `Attachment: ${jsonBytes} bytes of plain JSON and a file of ${attachmentBytes} bytes, synced`;
    sections.push(title, comparisonTable(attachment));
  }
  if (uploads) {
    const title = `Uploads of ${megabytes(uploadBytes)} MB at once, on a fresh server; the worst of ${rounds} rounds`;
    sections.push(title, uploadsTable(uploads));
  }
  if (bombs) sections.push(bombsTitle(bombs), bombsTable(bombs));
  for (const { version, empty, full: filled } of full?.byIdVersion ?? []) {
    const ids = version === "7" ? "that begin with the time (version 7)" : "that are random (version 4)";
    sections.push(
      `Full: small on an empty database and with ${full?.events} events stored; report ids ${ids}`,
      loadTable([empty, filled], empty, "to empty"),
    );
  }
  sections.push("Rows counted afterwards", rowsTable(rows), "Budgets", budgetsTable(budgets), describe(machine));
  return sections.join("\n\n");
}

function comparisonTable({ measured }: Comparison): string {
  const bare = measured.find(({ name }) => name === names.bare);
  return loadTable(measured, bare, "to bare");
}

function uploadsTable(uploads: readonly Uploads[]): string {
  return table(
    ["", "uploads", "idle RSS MB", "peak RSS MB", "seconds"],
    uploads.map(({ name, uploads, idleBytes, peakBytes, seconds }) => {
      return [name, String(uploads), megabytes(idleBytes), megabytes(peakBytes), seconds.toFixed(2)];
    }),
  );
}

function bombsTitle({ gzipBytes, unpackedBytes, bombsPerSecond, answer, answeredRight }: Bombs): string {
  return [
    `Bombs: gzip of ${gzipBytes} bytes, ${unpackedBytes} unpacked, without a pause on ${bombConnections} connections`,
    `${bombsPerSecond.toFixed(0)} bombs/s, answered ${answer} (${answeredRight ? "ok" : "WRONG"})`,
  ].join("\n");
}

function bombsTable({ alone, beside, residentBytes, growthBytes }: Bombs): string {
  return table(
    ["small on one connection", "requests/s", "p50 ms", "p99 ms", "peak RSS MB"],
    [
      { name: "alone", load: alone, bytes: residentBytes },
      { name: "beside bombs", load: beside, bytes: residentBytes + growthBytes },
    ].map(({ name, load, bytes }) => [
      name,
      (load.answers / load.seconds).toFixed(0),
      load.p50Milliseconds.toFixed(2),
      load.p99Milliseconds.toFixed(2),
      megabytes(bytes),
    ]),
  );
}
