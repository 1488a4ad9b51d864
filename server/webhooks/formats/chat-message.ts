import { oneLine } from "./chat-text.ts";

/** What a chat shows of a message of any type. Every text but `link.label` may come from a stranger. */
export interface ChatMessage {
  title: string;
  tone: "bad" | "warning" | "good" | "plain";
  facts: { label: string; value: string }[];
  link: { label: string; url: string } | null;
}

/** Facts beside the title: the services allow 10 and more, people read fewer. */
const factsMax = 8;
const titleMax = 140;
const valueMax = 300;

interface SentMessage {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** Makes what a chat shows of a message as subscribers get it. Never contains an envelope, or a link to a file. */
export function chatMessageOf({ type, data }: SentMessage, projectName: string | undefined): ChatMessage {
  const { facts, ...message } = (byType[type] ?? otherMessage)(data, type);
  const all = { ...(projectName === undefined ? {} : { Project: projectName }), ...facts };
  return {
    ...message,
    title: oneLine(message.title, titleMax) || "(no title)",
    facts: Object.entries(all)
      .flatMap(([label, value]) => factOf(label, value))
      .slice(0, factsMax),
  };
}

type Facts = Record<string, unknown>;
type Told = Omit<ChatMessage, "facts"> & { facts: Facts };

const byType: Record<string, (data: Facts, type: string) => Told> = {
  "report.received": ({ title, level, reportType, occurredAt, attachments, url }) => ({
    title: textOf(title) ?? "A report without a title",
    tone: level === "fatal" || level === "error" ? "bad" : level === "warning" ? "warning" : "plain",
    facts: { Level: level, Type: reportType, Occurred: occurredAt, Attachments: countOf(attachments) },
    link: linkOf("Open the report", url),
  }),
  "agent_run.updated": ({ state, reason, attempt, branch, summary, pullRequestUrl }) => ({
    title: `Agent run: ${textOf(state) ?? "changed"}`,
    tone: state === "failed" || state === "expired" ? "bad" : state === "succeeded" ? "good" : "plain",
    facts: { Reason: reason, Attempt: attempt, Branch: branch, Summary: summary },
    link: linkOf("Open the pull request", pullRequestUrl),
  }),
  "audit.recorded": ({ actor, action, object, network }) => ({
    title: `${textOf(actor) ?? "Somebody"}: ${textOf(action) ?? "an act"}`,
    tone: "plain",
    facts: { Object: object, Network: network },
    link: null,
  }),
  "notice.raised": (data) => noticeOf(data, data["level"] === "error" ? "bad" : "warning"),
  "notice.cleared": (data) => {
    const { title, facts, ...message } = noticeOf(data, "good");
    const { "What to do": _, ...others } = facts;
    return { ...message, title: `Over: ${title}`, facts: { ...others, "Over since": data["clearedAt"] } };
  },
  "webhook.test": () => ({
    title: "Intake can send messages here",
    tone: "good",
    facts: {},
    link: null,
  }),
};

function noticeOf({ title, name, text, remedy, raisedAt, url }: Facts, tone: ChatMessage["tone"]): Told {
  return {
    title: textOf(title) ?? "A notice",
    tone,
    facts: { About: name, Found: text, Since: raisedAt, "What to do": remedy },
    link: linkOf("Open the page", url),
  };
}

/** A message of a type that this file does not know: its name and its plain values. */
function otherMessage({ url, ...data }: Facts, type: string): Told {
  return { title: type, tone: "plain", facts: data, link: linkOf("Open", url) };
}

function factOf(label: string, value: unknown): { label: string; value: string }[] {
  const text = textOf(value);
  return text === undefined ? [] : [{ label: oneLine(label, 40), value: oneLine(text, valueMax) }];
}

/** Undefined for what is no text or number, and for what would be shown as nothing. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return oneLine(text, valueMax) === "" ? undefined : text;
}

function countOf(list: unknown): number | undefined {
  return Array.isArray(list) && list.length > 0 ? list.length : undefined;
}

function linkOf(label: string, url: unknown): ChatMessage["link"] {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  return parsed && /^https?:$/.test(parsed.protocol) ? { label, url: parsed.href } : null;
}
