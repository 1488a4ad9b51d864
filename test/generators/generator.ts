import type { Client } from "./client.ts";
import type { newCodes } from "./newer-server.ts";

/** A generator of clients, as users run it. */
export interface Tool {
  /** Its name. */
  name: string;
  version: string;
  /** The command that people type in a folder with openapi.json. */
  command: string;
  /** The same command with the tool that is installed for the tests. */
  generate: string[];
  /** The words of its command line, if the tool is openapi-generator: `generate` then copies what that has made. */
  openapiGenerator?: string[];
}

/** A hand-written program that uses a generated client. */
export interface Program {
  language: string;
  /** The folder below dist/generators in which the client is generated and the program is built. */
  folder: string;
  /** The program and its build files, relative to this folder. */
  files: [program: string, ...others: string[]];
  build: string[][];
  start: string[];
}

/** What a generated client does and does not do. Tests prove each statement, and the table of generators shows it. */
export interface Generator extends Tool, Program {
  /** How the address of the server and the credential are set. */
  settings: string;
  /** What happens to the content type of an attachment. */
  contentType: keyof typeof contentTypes;
  /** Error codes of a later server at which the client fails, and the remedy. */
  stumbles?: { over: readonly (keyof typeof newCodes)[]; instead: string };
  lacks: readonly Lack[];
}

/**
 * The type with which `every byte.png`, sent as `application/x-every-byte`, arrives, by what happens to content types.
 */
export const contentTypes = {
  "as set": "application/x-every-byte",
  "guessed from the file name": "image/png",
  "always `application/octet-stream`": "application/octet-stream",
} as const;

/** Something that the client cannot do. */
export interface Lack {
  what: string;
  instead: string;
  /** Whether the limitation still exists. */
  proof(bench: Bench): Promise<boolean> | boolean;
}

/** What a proof of a limitation can use. */
interface Bench {
  client: Client;
  /** Submits a report with the client to the compiled binary; returns how many attachments arrived. */
  attachmentsOf(attachment: Uint8Array): Promise<number>;
}
