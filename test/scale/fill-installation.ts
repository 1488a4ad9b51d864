import { setSetting } from "../../server/core/settings.ts";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import { commentCard } from "../../server/tickets/comment.ts";
import { deleteTicket } from "../../server/tickets/delete.ts";
import { serve } from "../support/binary.ts";
import { subscribe } from "../support/deliveries.ts";
import { attachment, boundary, envelope, eventTools, form } from "../support/ingest.ts";
import type { Installation } from "../support/installation.ts";
import { signIn } from "../support/sign-in.ts";
import { newToken } from "../support/tickets.ts";

/** What was sent to a server, and how it answered. */
interface Sent {
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
  answer: string;
}

export interface Filled {
  tickets: Sent[];
  reports: Sent[];
  /** Bytes of the attachments, by report. */
  attachments: { eventId: string; bytes: Uint8Array }[];
  cookie: string;
}

const hostile = ["a\tb", "c:\\new\\N", "\\.", "line\nline\r\nline", "\v\f\b", "😀 é\u202e", "\"'", "\\x00", ""];

/** Fills a data directory by its server and beside it with rows of every kind that people make. */
export async function fillInstallation(installation: Installation): Promise<Filled> {
  const { ctx, folder, made } = installation;
  const { token } = await newToken(installation);
  const member = await signIn({ installation }, "admin");
  await subscribe(installation, { types: ["report.received"], headers: { authorization: "Bearer secret" } });
  await setSetting({ ctx, input: { name: "retention_days", value: "80" } });
  const server = await serve(folder);
  const post = async (path: string, headers: Record<string, string>, body: Sent["body"]): Promise<Sent> => {
    const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return { path, headers, body, answer: await answer.text() };
  };
  const filled: Filled = { tickets: [], reports: [], attachments: [], cookie: member.cookie };
  for (let i = 0; i < 40; i++) {
    const text = hostile[i % hostile.length];
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": `key ${i} \\N`,
    };
    const ticket = { title: `Ticket ${i} ${text}`, description: `${text} ` };
    filled.tickets.push(await post("/api/v1/tickets", headers, JSON.stringify(ticket)));
  }
  for (let i = 0; i < 12; i++) {
    const bytes = crypto.getRandomValues(new Uint8Array(i === 0 ? 700_000 : i * 1_000));
    const parts = [
      envelope({ reportId: crypto.randomUUID(), title: `Crash ${hostile[i % hostile.length]}`, tags: { a: "b" } }),
      attachment(bytes),
    ];
    const headers = {
      authorization: `Bearer ${made.sdkKey.key}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    };
    const sent = await post("/api/ingest", headers, new Uint8Array(form(parts)));
    filled.reports.push(sent);
    filled.attachments.push({ eventId: JSON.parse(sent.answer).eventId, bytes });
  }
  const [commented, deleted] = filled.tickets.map(({ answer }) => JSON.parse(answer).id as string);
  const comment = { id: commented as string, op: crypto.randomUUID(), text: hostile.join(" "), mentions: [] };
  await commentCard({
    ctx: { ...ctx, actor: { kind: "member", id: member.id, name: "Ada", role: "admin" } },
    input: comment,
  });
  await deleteTicket({ ctx, input: { id: deleted as string } });
  const tools = eventTools(installation);
  await deleteEvent({ ctx, tools, input: { id: filled.attachments.pop()?.eventId as string } });
  tools.reader.close();
  filled.reports.pop();
  await server.stop();
  await ctx.store.close();
  return filled;
}
