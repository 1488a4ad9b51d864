import type { Client } from "./client.ts";
import type { newCodes } from "./newer-server.ts";

/** What generates. */
export interface Tool {
  /** As its makers call it. */
  name: string;
  version: string;
  /** What people type in a folder with openapi.json in it. */
  command: string;
  /** The same with the tool that is installed for the tests. */
  generate: string[];
}

/** A hand-written program that uses a generated client. */
export interface Program {
  language: string;
  /** Where the client is generated and the program is built, below dist/generators. */
  folder: string;
  /** The program and whatever it is built with, as seen from here. */
  files: [program: string, ...others: string[]];
  build: string[][];
  start: string[];
}

/** A generator of clients. What is said here of its client is proven by the tests and told in the table. */
export interface Generator extends Tool, Program {
  /** Where it is said which server is asked, and with which credential. */
  settings: string;
  /** What becomes of the content type of an attachment. */
  contentType: keyof typeof contentTypes;
  /** The codes of a later server that make its client fail, and what to do about it. */
  stumbles?: { over: readonly (keyof typeof newCodes)[]; instead: string };
  lacks: readonly Lack[];
}

/** By what becomes of it, how `every byte.png` reads back that was to be an `application/x-every-byte`. */
export const contentTypes = {
  "as set": "application/x-every-byte",
  "guessed from the file name": "image/png",
  "always `application/octet-stream`": "application/octet-stream",
} as const;

/** Something that it cannot do. */
export interface Lack {
  what: string;
  instead: string;
  /** Whether it is still so. */
  proof(bench: Bench): Promise<boolean> | boolean;
}

/** What a proof has at hand. */
interface Bench {
  client: Client;
  /** Submits a report with it to the compiled binary; tells how many attachments arrived. */
  attachmentsOf(attachment: Uint8Array): Promise<number>;
}
