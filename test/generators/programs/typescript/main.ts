import { readFileSync } from "node:fs";
import { basename } from "node:path";

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

/** Runs the operation that the arguments name, and prints the answer as one line of JSON. */
export async function main({ createTicket, submitReport }: Program) {
  const [verb, url = "", credential = "", ...rest] = process.argv.slice(2);
  if (verb === "ticket") {
    const [idempotencyKey = "", title = "", boardId] = rest;
    return print(await createTicket({ url, token: credential, idempotencyKey, title, boardId }));
  }
  const [envelope = "", attachment = "", type = ""] = rest;
  const job = {
    url,
    key: credential,
    envelope: file(envelope, "application/gzip"),
    attachment: file(attachment, type),
  };
  print(await submitReport(job));
}

/** A File instead of a Blob: the server takes a part without a file name for text. */
function file(path: string, type: string): File {
  return new File([readFileSync(path)], basename(path), { type });
}

function print(answer: Answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
