import { Component } from "preact";
import type { CardSummary } from "../../../../tickets/card-summary.ts";
import { calendarDay } from "../../core/time.ts";
import { Icon } from "../../parts/icon.tsx";
import { reasonText, runTitle } from "../../parts/run-words.ts";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { PriorityPill, priorityName } from "../card-fields/priority.tsx";

interface Props {
  card: CardSummary;
  /** Whether the due day of the card has passed. */
  late: boolean;
  /** Whether Tab stops at this card: each column has one such card, and the arrows go on from it. */
  focusable: boolean;
  /** Whether the card has just arrived. */
  fresh: boolean;
}

/** A card on a board, with only what a person needs to choose it. */
export class CardFace extends Component<Props> {
  /**
   * Columns render often while their cards seldom change, so an unchanged card is skipped. `useMemo` is not used here:
   * what it keeps would hold the column of the first rendering with all its cards, and each of these the one before.
   */
  override shouldComponentUpdate({ card, late, focusable, fresh }: Props): boolean {
    const now = this.props;
    return card !== now.card || late !== now.late || focusable !== now.focusable || fresh !== now.fresh;
  }

  override render({ card, late, focusable, fresh }: Props) {
    const { title, run, priority, dueAt, assignee, author } = card;
    const meta = priority !== "none" || dueAt !== null || assignee !== null;
    return (
      <>
        <div class="body">
          <h3>
            <a
              class="cover"
              href={`/cards/${card.id}`}
              data-over
              draggable={false}
              tabIndex={focusable ? 0 : -1}
              aria-label={nameOf(card, late)}
              dir="auto"
            >
              {title.trim() === "" ? <span class="dim">(untitled)</span> : title}
            </a>
          </h3>
          {run && (
            <div class="run">
              <Icon name="agent" small />
              <span>{runTitle(run.state)}</span>
              {run.reason !== null && <span class="dim ellipsis">{reasonText(run.reason)}</span>}
            </div>
          )}
          {meta && (
            <div class="meta">
              <PriorityPill priority={priority} />
              {dueAt !== null && (
                <span class={`row nowrap gap-5${late ? " text-err" : ""}`}>
                  <Icon name="clock" small />
                  {calendarDay(dueAt)}
                </span>
              )}
              {assignee && <Who kind={assignee.kind} name={assignee.name} />}
            </div>
          )}
        </div>
        {author.kind === "token" && (
          <div class="stub">
            <Icon name="ticket" />
            <span class="name ellipsis" dir="auto" title={author.name}>
              {author.name}
            </span>
            {fresh ? <time>now</time> : <Ago at={card.createdAt} />}
          </div>
        )}
      </>
    );
  }
}

/** The name of a card for screen readers: everything that the card shows. */
function nameOf({ title, priority, dueAt, assignee, run, author }: CardSummary, late: boolean): string {
  return [
    title.trim() === "" ? "(untitled)" : title,
    priority === "none" ? "" : `${priorityName(priority)} priority`,
    dueAt === null ? "" : `${late ? "overdue since" : "due"} ${calendarDay(dueAt)}`,
    assignee ? `assigned to ${assignee.name}` : "",
    run ? `agent run: ${runTitle(run.state)}` : "",
    author.kind === "token" ? `from token ${author.name}` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}
