import { type ComponentChildren, Fragment } from "preact";
import { useState } from "preact/hooks";
import type { PlainFieldName } from "../../../../../openapi/schema/ticket-fields.ts";
import { api, done } from "../../core/api.ts";
import { repositoryName } from "../../core/format.ts";
import { newOp } from "../../core/op.ts";
import { say } from "../../core/say.ts";
import { calendarDay } from "../../core/time.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PickList, Popover } from "../../parts/pick.tsx";
import { isAlive } from "../../parts/run-words.ts";
import { Who } from "../../parts/who.tsx";
import { todayOf } from "../board/filter.ts";
import { moveCard } from "../board/move.ts";
import { placeOf } from "../board/order.ts";
import type { ProjectDetail } from "../board/project.ts";
import { shownBoard } from "../board/store.ts";
import { Dates, dateFields } from "../card-fields/dates.tsx";
import { FieldForm } from "../card-fields/field-form.tsx";
import { fields, plainFields, shownText } from "../card-fields/field-text.ts";
import { AssignAgent } from "../card-fields/lazy-dialogs.ts";
import { assigneeOptions, priorityOptions, repositoryOptions } from "../card-fields/options.tsx";
import { PriorityPill } from "../card-fields/priority.tsx";
import type { CardCalls, CardDetail, CardFields } from "./use-card.ts";

export type Property = "column" | "priority" | "assignee" | "dates" | "repository" | PlainFieldName;

/** Fields that are changed by the general form: they have one line and no control of their own. */
const otherFields = plainFields.filter((name) => !["priority", ...dateFields].includes(name));

const columnLook: Record<string, string> = { backlog: "", todo: "info", doing: "warn", done: "ok" };

/** The properties of a card beside its texts, each edited in place. */
export function Properties({
  card,
  data,
  project,
  open,
  onOpen,
  still,
}: {
  card: CardCalls;
  data: CardDetail;
  project: ProjectDetail | undefined;
  open: Property | undefined;
  onOpen: (property: Property | undefined) => void;
  still: boolean;
}) {
  const [asking, setAsking] = useState<"assign" | "unassign">();
  const [next, setNext] = useState<string | null>(null);
  const { assignee, author, repository, startsAt, dueAt } = data;
  const columns = project?.boards.find(({ id }) => id === data.board.id)?.columns ?? [];
  const late = dueAt !== null && dueAt < todayOf(Date.now()) && data.column.category !== "done";

  function set(change: CardFields) {
    onOpen(undefined);
    void card.change(change);
  }

  async function move(columnId: string) {
    onOpen(undefined);
    if (columnId === data.columnId) return;
    const board = shownBoard.value;
    await card.act(async () => {
      if (board && placeOf(board.columns.value, data.id)) return moveCard(board, data.id, { columnId, index: 0 });
      await done(api.cards({ id: data.id }).move.post({ columnId, after: null, op: newOp(), seenMoves: data.moves }));
    });
  }

  function assign(id: string) {
    onOpen(undefined);
    const to = id === "" ? null : id;
    if (to === (assignee?.id ?? null)) {
      if (assignee?.kind === "agent" && data.run && isAlive(data.run.state)) say("A run of this card is under way.");
      return;
    }
    if (id !== "" && id === project?.agent?.id) return setAsking("assign");
    setNext(to);
    if (assignee?.kind === "agent" && data.run && isAlive(data.run.state)) return setAsking("unassign");
    void card.change({ assigneeUserId: to });
  }

  const property = (name: Property, label: string, shown: ComponentChildren, content: () => ComponentChildren) => (
    <Fragment key={name}>
      <dt>{label}</dt>
      <dd>
        {still || !project ? (
          <span class="value">{shown}</span>
        ) : (
          <Popover
            label={label}
            open={open === name}
            onOpen={(opened) => onOpen(opened ? name : undefined)}
            content={content}
          >
            <span class="sr-only">{label}: </span>
            {shown}
          </Popover>
        )}
      </dd>
    </Fragment>
  );

  return (
    <dl class="properties">
      {property(
        "column",
        "Column",
        <span class={`pill ellipsis ${columnLook[data.column.category] ?? ""}`} dir="auto">
          {data.column.name}
        </span>,
        () => (
          <PickList
            label="Column"
            chosen={data.columnId}
            options={columns.map(({ id, name }) => ({ id, label: name }))}
            onPick={(id) => void move(id)}
          />
        ),
      )}
      {property(
        "priority",
        "Priority",
        data.priority === "none" ? <span class="dim">None</span> : <PriorityPill priority={data.priority} />,
        () => (
          <PickList
            label="Priority"
            chosen={data.priority}
            options={priorityOptions}
            onPick={(id) => set({ priority: id as "none" })}
          />
        ),
      )}
      {property(
        "assignee",
        "Assignee",
        assignee ? (
          <>
            <Who kind={assignee.kind} name={assignee.name} />
            <span class="ellipsis" dir="auto">
              {assignee.name}
            </span>
            {assignee.removed && <span class="pill line">deactivated</span>}
          </>
        ) : (
          <span class="dim">Nobody</span>
        ),
        () => (
          <PickList
            label="Assignee"
            search
            chosen={assignee?.id ?? ""}
            options={project ? assigneeOptions(project) : []}
            onPick={assign}
          />
        ),
      )}
      {property(
        "dates",
        "Dates",
        startsAt === null && dueAt === null ? (
          <span class="dim">None</span>
        ) : (
          <span class={`digits${late ? " text-err" : ""}`}>
            {datesOf(startsAt, dueAt)}
            {late && ", overdue"}
          </span>
        ),
        () => (
          <Dates dates={data} onSave={set} />
        ),
      )}
      {property(
        "repository",
        "Repository",
        repository ? (
          <>
            <Icon name="branch" small />
            <span class="ellipsis" title={repository.url}>
              {repositoryName(repository.url)}
            </span>
            {!repository.bound && <span class="pill line">unbound</span>}
          </>
        ) : (
          <span class="dim">None</span>
        ),
        () => (
          <PickList
            label="Repository"
            chosen={repository?.id ?? ""}
            options={project ? repositoryOptions(project) : []}
            onPick={(id) => set({ agentRepositoryId: id === "" ? null : id })}
          />
        ),
      )}
      {otherFields.map((name) => {
        const { label } = fields[name];
        return property(name, label, shownText(name, data[name]) || <span class="dim">None</span>, () => (
          <FieldForm what={label.toLowerCase()} names={[name]} values={data} onSave={set} />
        ));
      })}
      <dt>Author</dt>
      <dd>
        <span class="value">
          <Who kind={author.kind} name={author.name} />
          <span class="ellipsis" dir="auto">
            {author.name}
          </span>
          {author.kind === "token" && <span class="pill line">API</span>}
        </span>
      </dd>
      {asking === "assign" && project && (
        <AssignAgent
          project={project}
          repositoryId={repository?.id}
          onClose={() => setAsking(undefined)}
          onAssign={async (repositoryId) => {
            setAsking(undefined);
            await card.change({
              assigneeUserId: project.agent?.id ?? null,
              ...(repositoryId === undefined ? {} : { agentRepositoryId: repositoryId }),
            });
          }}
        />
      )}
      {asking === "unassign" && (
        <Confirm
          title="Take the card from the agent?"
          verb="Unassign and cancel"
          keep="Keep the agent"
          onClose={() => setAsking(undefined)}
          onConfirm={() => card.change({ assigneeUserId: next })}
        >
          <p>This cancels the run.</p>
        </Confirm>
      )}
    </dl>
  );
}

function datesOf(startsAt: string | null, dueAt: string | null): string {
  if (startsAt === null) return dueAt === null ? "" : `Due ${calendarDay(dueAt)}`;
  return dueAt === null ? `From ${calendarDay(startsAt)}` : `${calendarDay(startsAt)} – ${calendarDay(dueAt)}`;
}
