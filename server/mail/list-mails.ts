import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import { faultWords } from "./faults.ts";

interface ListedMail {
  id: string;
  createdAt: string;
  kind: "invite" | "reset" | "notice";
  to: string;
  subject: string;
  state: "waiting" | "sent" | "failed" | "expired";
  attempts: number;
  /** Null when it is not tried again. */
  nextAttemptAt: string | null;
  /** Why the latest attempt failed, and what to do. */
  problem: string | null;
}

interface MailRow extends Row {
  id: string;
  kind: ListedMail["kind"];
  recipient: string;
  subject: string;
  state: ListedMail["state"];
  created_at: number;
  next_at: number | null;
  attempts: number;
  fault: string | null;
  detail: string | null;
}

export const mailColumns = ["createdAt", "kind", "to", "subject", "state", "attempts", "problem"] as const;

/** The mails that wait and those of the last 30 days, newest first; what they say is not kept. */
export async function listMails({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<ListedMail>> {
  requireAdmin(ctx);
  const [before = "g"] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<MailRow>(
    `select id, kind, recipient, subject, state, created_at, next_at, attempts, fault, detail from mail
     where id < $1 order by id desc limit $2`,
    [before, input.limit + 1],
  );
  return pageOf(rows, input.limit, ({ id }) => [id], present);
}

function present({
  id,
  kind,
  recipient,
  subject,
  state,
  created_at,
  next_at,
  attempts,
  fault,
  detail,
}: MailRow): ListedMail {
  return {
    id,
    createdAt: new Date(created_at).toISOString(),
    kind,
    to: recipient,
    subject,
    state,
    attempts,
    nextAttemptAt: next_at === null ? null : new Date(next_at).toISOString(),
    problem: fault === null ? null : faultWords({ fault, detail }),
  };
}
