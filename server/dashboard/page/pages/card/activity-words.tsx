import type { ComponentChildren } from "preact";
import type { ActivityEntry } from "../../../../activity/activity.ts";
import { plural } from "../../core/format.ts";
import { reasonText } from "../../parts/run-words.ts";
import { fields, isFieldName, shownText, textOf } from "../card-fields/field-text.ts";

type Detail = Record<string, unknown>;
const detailOf = ({ detail }: ActivityEntry): Detail => (detail ?? {}) as Detail;

/** An entry of the activity in words: the verb, and the old and new value. */
export function words(entry: ActivityEntry): ComponentChildren {
  const detail = detailOf(entry);
  switch (entry.kind) {
    case "created":
      return "created the card";
    case "edited":
      return edited(detail);
    case "comment_deleted":
      return <>deleted a comment{ofWhom(entry)}</>;
    case "comment_restored":
      return <>restored a comment{ofWhom(entry)}</>;
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

/** Names the author of a comment that somebody else changed. */
function ofWhom({ actor, detail }: ActivityEntry): ComponentChildren {
  const { author } = (detail ?? {}) as { author?: { id: string | null; name: string } };
  if (!author || author.id === actor.id) return null;
  return (
    <>
      {" "}
      of <Named value={author.name} />
    </>
  );
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

/** Fields whose name in an entry differs from the name on the page. */
const entryNames: Record<string, string> = {
  startsAt: "the start",
  dueAt: "the due date",
  repository: "the repository",
};

function nameOf(field: string): string {
  return entryNames[field] ?? (isFieldName(field) ? `the ${fields[field].label.toLowerCase()}` : field);
}

function edited({ field, from, to }: Detail): ComponentChildren {
  const name = nameOf(String(field));
  if (field === "description" || (from === undefined && to === undefined)) return `changed ${name}`;
  return (
    <>
      changed {name} from {valueWords(String(field), from)} to {valueWords(String(field), to)}
    </>
  );
}

function valueWords(field: string, value: unknown): ComponentChildren {
  if (textOf(value) === "") return <span class="dim">none</span>;
  return isFieldName(field) && field !== "title" ? shownText(field, value) : <Named value={value} />;
}

/** A link to an address that a runner sent; plain text unless it is an https address. */
function Outside({ address, children }: { address: unknown; children: ComponentChildren }) {
  const url = URL.parse(String(address));
  if (url?.protocol !== "https:") return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** The name that something had at the time of the entry. */
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
