import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";

export interface TicketJob {
  url: string;
  token: string;
  idempotencyKey: string;
  title: string;
  boardId: string | undefined;
}

export interface ReportJob {
  url: string;
  key: string;
  envelope: File;
  attachment: File;
}

export interface Answer {
  status: number;
  id?: string | undefined;
  repeated?: boolean | undefined;
  error?: string | undefined;
}

export interface Program {
  createTicket(job: TicketJob): Promise<Answer>;
  submitReport(job: ReportJob): Promise<Answer>;
}

/** Does what each line of stdin says, with tabs between the words, and prints each answer as JSON with a NUL behind it. */
export async function main(program: Program) {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answerTo(line.split("\t"), program))}\0`);
  }
}

function answerTo([verb, url = "", credential = "", ...rest]: string[], program: Program): Promise<Answer> {
  if (verb === "ticket") {
    const [idempotencyKey = "", title = "", boardId] = rest;
    return program.createTicket({ url, token: credential, idempotencyKey, title, boardId });
  }
  const [envelope = "", attachment = "", type = ""] = rest;
  const job = {
    url,
    key: credential,
    envelope: file(envelope, "application/gzip"),
    attachment: file(attachment, type),
  };
  return program.submitReport(job);
}

/** A File instead of a Blob: the server takes a part without a file name for text. */
function file(path: string, type: string): File {
  return new File([readFileSync(path)], basename(path), { type });
}
