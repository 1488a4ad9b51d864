import type { Context } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import type { SettingValues } from "../core/settings.ts";
import type { Step, Tx } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";
import type { MailContent } from "../mail/content.ts";
import { newMail, queueMail } from "../mail/new-mail.ts";
import { unlinked } from "../webhooks/formats/chat-text.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { Rule } from "./rule.ts";

/** A notice that subscribers and admins are told of. */
export interface Told {
  rule: Rule;
  /** As it is now. */
  row: NoticeRow;
}

/** Admins that get mails, and notices that one mail has in full. */
const adminsMax = 100;
const writtenMax = 20;
/** A mail that cannot be sent for so long tells nothing any more. */
const lastsMilliseconds = 24 * 3_600_000;

interface MailTools extends Pick<Context, "now" | "newId"> {
  sealing: Sealing;
  publicUrl: string;
  settings: SettingValues;
}

/** Stores a mail to each admin: one for all notices of a look, so that many at once are no flood. */
export function* mailNoticesStep(tx: Tx, told: readonly Told[], tools: MailTools): Step<void> {
  const { settings, sealing, publicUrl } = tools;
  const mailed = told.filter(({ rule }) => settings.notice_mail === "all" || rule.level === "error");
  if (mailed.length === 0 || settings.notice_mail === "none") return;
  const admins = yield* tx.all<{ email: string }>(
    `select email from member m where role = 'admin' and removed_at is null and email is not null
       and ${canSignIn} order by id limit ${adminsMax}`,
  );
  const content = mailOf(mailed, publicUrl);
  for (const { email: to } of admins) {
    const mail = newMail(tools, sealing, { kind: "notice", to, lasts: lastsMilliseconds, ...content });
    yield* queueMail(tx, mail);
  }
}

function mailOf(told: readonly Told[], publicUrl: string): MailContent & { subject: string } {
  const paragraphs = told.slice(0, writtenMax).map(paragraphOf);
  const more = told.length - paragraphs.length;
  if (more > 0) paragraphs.push(`And ${more} more.`);
  const [first] = told;
  return {
    subject: first && told.length === 1 ? `Intake: ${titleOf(first)}` : `Intake: ${told.length} notices`,
    text: paragraphs.join("\n\n"),
    link: { url: `${publicUrl}/notices`, label: "See the notices" },
    foot: "You get this mail as an admin. The setting notice_mail says which notices are mailed, notices_off turns rules off.",
  };
}

const titleOf = ({ rule, row }: Told) => (row.cleared_at === null ? rule.title : `Over: ${rule.title}`);

/** Names may come from strangers, such as the title of a report: no mail program makes a link of them. */
function paragraphOf(told: Told): string {
  const { rule, row } = told;
  const name = row.name === null ? "" : `${unlinked(row.name.replaceAll(/\s+/g, " "))}: `;
  const lines = [titleOf(told), name + unlinked(row.text)];
  return [...lines, ...(row.cleared_at === null ? [rule.remedy] : [])].join("\n");
}
