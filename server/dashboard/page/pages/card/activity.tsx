import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ActivityEntry } from "../../../../tickets/activity.ts";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { calendarDay } from "../../core/time.ts";
import { reasonText } from "../../parts/run-words.ts";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { priorityWords } from "../board/card.tsx";
import { Markdown } from "./markdown.tsx";
import type { CardDetail } from "./use-card.ts";

/** What happened to a card and who did it, newest first. */
export function Activity({ data }: { data: CardDetail }) {
  const [older, setOlder] = useState<{ items: ActivityEntry[]; next: string | null }>();
  useEffect(() => setOlder(undefined), [data.id]);
  const next = older ? older.next : data.activityNext;
  const newest = data.activity.at(-1)?.number ?? 0;
  // What was new when the older ones were asked for may be old by now, and in both.
  const items = [...data.activity, ...(older?.items.filter(({ number }) => number < newest) ?? [])];

  async function more() {
    try {
      const page = await done(api.cards({ id: data.id }).activity.get({ query: { cursor: next ?? undefined } }));
      setOlder({ items: [...(older?.items ?? []), ...page.items], next: page.next });
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  return (
    <section class="sec" aria-label="Activity">
      <h2>Activity</h2>
      <ol class="acts">
        {items.map((entry) => (
          <Entry key={entry.number} entry={entry} />
        ))}
      </ol>
      {next !== null && (
        <button type="button" class="btn ghost" onClick={() => void more()}>
          Show older
        </button>
      )}
    </section>
  );
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { actor, kind, at } = entry;
  const { text, mentions } = commentIn(entry);
  const tokenLog = actor.kind === "token" && kind === "created" && isAdmin.value && actor.id !== null;
  return (
    <li>
      <Who kind={actor.kind} name={actor.name} />
      <div class="fit">
        <p>
          <b dir="auto">{actor.kind === "operator" ? "Command line" : actor.name}</b> {words(entry)}
          {tokenLog && (
            <>
              {" · "}
              <a href={`/settings/tokens/${actor.id}`}>request log</a>
            </>
          )}
        </p>
        {text !== undefined && (
          <div class="comment">
            <Markdown text={text} names={mentions} below={2} />
          </div>
        )}
      </div>
      <Ago at={at} />
    </li>
  );
}

type Detail = Record<string, unknown>;
const detailOf = ({ detail }: ActivityEntry): Detail => (detail ?? {}) as Detail;

function commentIn(entry: ActivityEntry): { text?: string; mentions: string[] } {
  if (entry.kind !== "commented") return { mentions: [] };
  const { text, mentions } = detailOf(entry);
  const names = Array.isArray(mentions) ? mentions.map((one) => String((one as { name: unknown }).name)) : [];
  return { text: String(text), mentions: names };
}

/** Verb, and from what to what. */
function words(entry: ActivityEntry): ComponentChildren {
  const detail = detailOf(entry);
  switch (entry.kind) {
    case "created":
      return "created the card";
    case "edited":
      return edited(detail);
    case "moved":
      return (
        <>
          moved it from <Named value={detail["from"]} /> to <Named value={detail["to"]} />
        </>
      );
    case "assigned":
      return detail["to"] ? (
        <>
          assigned <Named value={detail["to"]} />
        </>
      ) : (
        <>
          unassigned <Named value={detail["from"]} />
        </>
      );
    case "run_queued":
      if (detail["reason"] === "runner_vanished") return "queued the run again: its runner vanished";
      return `queued a run${typeof detail["reason"] === "string" ? `, which waits: ${reasonText(detail["reason"])}` : ""}`;
    case "run_waiting":
      return `lets the run wait: ${reasonText(String(detail["reason"]))}`;
    case "run_claimed":
      return (
        <>
          gave the run to <Named value={detail["runner"]} />
          {credits(detail["creditsHeld"], "held")}
        </>
      );
    case "run_pull_request":
      return (
        <>
          opened a <Outside address={detail["url"]}>pull request</Outside>
        </>
      );
    case "run_succeeded":
      return `ended the run: it succeeded${credits(detail["creditsUsed"], "used")}`;
    case "run_failed":
      return detail["reason"] === "runner_vanished"
        ? "gave up the run: its runner vanished"
        : `ended the run: it failed${credits(detail["creditsUsed"], "used")}`;
    case "run_expired":
      return `gave up the run: ${reasonText(String(detail["reason"]))}`;
    default:
      return verbs[entry.kind] ?? entry.kind.replaceAll("_", " ");
  }
}

const verbs: Record<string, string> = {
  commented: "commented",
  archived: "archived the card",
  unarchived: "put the card back",
  deleted: "deleted the card",
  restored: "restored the card",
  run_cancelled: "cancelled the run",
  run_retried: "started the run again",
  run_started: "started the run",
};

function credits(count: unknown, how: string): string {
  return typeof count === "number" && count > 0 ? `, ${plural(count, "credit")} ${how}` : "";
}

const fields: Record<string, string> = {
  title: "the title",
  description: "the description",
  priority: "the priority",
  startsAt: "the start",
  dueAt: "the due date",
  repository: "the repository",
};

function edited({ field, from, to }: Detail): ComponentChildren {
  const name = fields[String(field)] ?? String(field);
  if (field === "description" || (from === undefined && to === undefined)) return `changed ${name}`;
  return (
    <>
      changed {name} from {told(field, from)} to {told(field, to)}
    </>
  );
}

function told(field: unknown, value: unknown): ComponentChildren {
  if (value === null || value === undefined || value === "") return <span class="dim">none</span>;
  if (field === "priority") return priorityWords[String(value)] ?? String(value);
  if (typeof value === "string" && (field === "startsAt" || field === "dueAt")) return calendarDay(value);
  return <Named value={value} />;
}

/** What a runner told is an address only where it is one. */
function Outside({ address, children }: { address: unknown; children: ComponentChildren }) {
  const url = URL.parse(String(address));
  if (url?.protocol !== "https:") return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A thing under its name of then. */
function Named({ value }: { value: unknown }) {
  const thing = (typeof value === "object" && value !== null ? value : { name: value }) as Detail;
  const name = String(thing["name"] ?? thing["url"] ?? "");
  return (
    <span class="named" dir="auto">
      {typeof thing["board"] === "string" ? `${thing["board"]}, ` : ""}
      {name}
    </span>
  );
}
