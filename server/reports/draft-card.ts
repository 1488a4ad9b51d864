import { longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { EventRow } from "../envelope/event-row.ts";
import { tagsOf } from "../ingest/event-view.ts";

export interface CardDraft {
  title: string;
  description: string;
}

type DraftedRow = Pick<EventRow, "id" | "project_id" | "title" | "type" | "level" | "environment" | "release" | "tags">;

/**
 * Drafts the title and description of a card from reports of one project. With several reports, the first one gives the
 * title.
 */
export async function draftCard({
  ctx,
  input: { reportIds },
}: {
  ctx: Context;
  input: { reportIds: readonly string[] };
}): Promise<CardDraft & { projectId: string }> {
  requireMember(ctx);
  const events: DraftedRow[] = [];
  for (const id of new Set(reportIds)) {
    const event = await ctx.store.one<DraftedRow>(
      `select e.id, e.project_id, e.title, e.type, e.level, e.environment, e.release, e.tags
       from event e join project p on p.id = e.project_id where e.id = $1 and p.deleted_at is null`,
      [id],
    );
    if (!event) throw new Refusal("not_found", `there is no report ${id}`);
    events.push(event);
  }
  const [first] = events;
  if (!first) throw new Refusal("invalid_input", "name at least one report");
  if (events.some(({ project_id }) => project_id !== first.project_id)) {
    throw new Refusal("conflict", "The reports are of different projects.");
  }
  const url = await readPublicUrl(ctx.store, ctx.publicUrl);
  const parts = events.map((event) => describe(event, `${url}/reports/${event.id}`));
  return {
    projectId: first.project_id,
    title: cut(oneLine(first.title ?? first.type ?? "") || "Report", limits.titleMax),
    description: cut(parts.join("\n\n"), limits.descriptionMax),
  };
}

/** Describes a report in Markdown. Text that the sender wrote stands as code, so that none of it is read as markup. */
function describe(event: DraftedRow, url: string): string {
  const facts = [event.level, event.type, event.release, event.environment].filter((fact) => fact !== null);
  return [
    `[Report](${url})${facts.map((fact) => ` · ${code(fact)}`).join("")}`,
    ...(event.title === null ? [] : [code(event.title)]),
    ...Object.entries(tagsOf(event)).map(([name, value]) => `- ${code(name)}: ${code(value)}`),
  ].join("\n");
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'") || " "}\``;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function cut(text: string, max: number): string {
  return longerThan(text, max) ? `${[...text].slice(0, max - 1).join("")}…` : text;
}
