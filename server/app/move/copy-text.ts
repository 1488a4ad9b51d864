import type { Value } from "../../core/store.ts";
import { MoveRefused } from "./move-refused.ts";
import type { ColumnType } from "./moved-tables.ts";

/**
 * Rows in the text format of PostgreSQL's COPY, byte for byte as PostgreSQL itself writes them
 * (https://www.postgresql.org/docs/current/sql-copy.html): one line a row, so that the digest of a line is that of the
 * row wherever it was read.
 */
type Encoder = (value: Value) => string;

export const encoders: Readonly<Record<ColumnType, Encoder>> = {
  text: (value) => (value === null ? nothing : escaped(value as string)),
  integer: (value) => (value === null ? nothing : String(value)),
  real: (value) => (value === null ? nothing : realText(value as number)),
  blob: (value) => (value === null ? nothing : `\\\\x${hexOf(value as Uint8Array)}`),
};

export const decoders: Readonly<Record<ColumnType, (field: string) => Value>> = {
  text: (field) => (field === nothing ? null : unescaped(field)),
  integer: (field) => (field === nothing ? null : Number(field)),
  real: (field) => (field === nothing ? null : Number(field)),
  blob: (field) => (field === nothing ? null : Buffer.from(field.slice(3), "hex")),
};

const nothing = "\\N";
const escapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\\": "\\\\",
};
const characters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(escapes).map(([character, sequence]) => [sequence, character]),
);
const special = /[\0\b\t\n\v\f\r\\]/;
const allSpecial = /[\0\b\t\n\v\f\r\\]/g;

function escaped(text: string): string {
  return special.test(text) ? text.replace(allSpecial, escapeOf) : text;
}

function escapeOf(character: string): string {
  const sequence = escapes[character];
  if (sequence === undefined) throw new MoveRefused("a text has the character U+0000, which PostgreSQL does not store");
  return sequence;
}

function unescaped(field: string): string {
  return field.includes("\\") ? field.replace(/\\./g, (sequence) => characters[sequence] as string) : field;
}

/** PostgreSQL writes the same shortest digits as JavaScript, and an exponent from 1e15 up and below 1e-4. */
function realText(value: number): string {
  const size = Math.abs(value);
  if ((size >= 1e-4 && size < 1e15) || Object.is(value, 0)) return String(value);
  if (value === 0) return "-0";
  if (!Number.isFinite(value)) return String(value);
  const [digits, exponent = ""] = value.toExponential().split("e");
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
