import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { filterIn } from "../../../board-filter.ts";
import { draftOf } from "../../core/draft.ts";
import { compact } from "../../core/format.ts";
import { useChanges, useReconnected } from "../../core/live.ts";
import type { PageProps } from "../../core/page-props.ts";
import { place } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { CopyBlock } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Failed } from "../../parts/states.tsx";
import { Bar, projectName } from "../../shell/bar.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { type CardAction, CardActionDialog } from "./card-action-dialog.tsx";
import { Column } from "./column.tsx";
import { curlFor } from "./curl.ts";
import { display, keepView } from "./display.ts";
import { DragLayer, dragged, useDrag } from "./drag.ts";
import { activeNames, isFiltering } from "./filter.ts";
import { clearFilter, FilterBar, wordsOf } from "./filter-bar.tsx";
import { useBoardKeys } from "./keys.ts";
import { CreateCard, IdsDialog } from "./lazy-dialogs.ts";
import { newCardDraft } from "./new-card.tsx";
import { placeOf } from "./order.ts";
import { useProject } from "./project.ts";
import { reveal } from "./reveal.ts";
import { Selection } from "./selection.tsx";
import { BoardStore, shownBoard } from "./store.ts";

/** Keeps the last board, so that it is shown at once when a person comes back to it; then it is loaded again. */
function storeOf(id: string): BoardStore {
  return shownBoard.peek()?.id === id ? (shownBoard.peek() as BoardStore) : new BoardStore(id);
}

export default function Board({ params, behind = false }: PageProps & { behind?: boolean }) {
  const id = params["board"] ?? "";
  const store = useMemo(() => storeOf(id), [id]);
  const frame = useRef<HTMLDivElement>(null);
  const covered = behind || place.value.behind !== undefined;
  const own = covered ? new URLSearchParams(place.value.behind?.split("?")[1]) : place.value.query;
  const filter = filterIn(own);
  const [composing, setComposing] = useState<string>();
  const [action, setAction] = useState<CardAction>();
  const [filterOpen, setFilterOpen] = useState(false);
  const [ids, setIds] = useState(false);
  const [onPhone, setOnPhone] = useState<string>();

  useEffect(() => {
    shownBoard.value = store;
  }, [store]);
  useLayoutEffect(() => {
    void store.load(filter);
  }, [store, JSON.stringify(filter), display.value.doneDays]);
  useEffect(keepView, [display.value.doneDays]);
  useChanges(["card", "board", "project", "run"], (changes) => store.hear(changes));
  useReconnected(() => store.resume());
  const { down, keep } = useDrag(
    store,
    () => frame.current,
    setOnPhone,
    (id) => setAction({ ask: "agent", ids: [id] }),
  );

  const head = store.head.value;
  const columns = store.columns.value;
  const shown = columns.filter(({ id }) => !display.value.hidden.includes(id));
  const project = useProject(head?.project.id).data;
  const phone = shown.find((column) => column.id === onPhone)?.id ?? firstWithCards(shown)?.id;
  const turnTo = wantedColumn(store);
  useLayoutEffect(() => {
    if (turnTo !== undefined) setOnPhone(turnTo);
  }, [turnTo]);
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [phone]);
  useEffect(() => {
    if (head) localStorage.setItem("intake-board", `/p/${head.project.id}/boards/${id}`);
  }, [head?.project.id, id]);

  const compose = (columnId: string | undefined) => {
    setComposing(columnId);
    if (columnId !== undefined) setOnPhone(columnId);
  };
  const columnIsGone =
    head !== undefined && composing !== undefined && !columns.some((column) => column.id === composing);
  useEffect(() => {
    if (!columnIsGone) return;
    setComposing(undefined);
    if (draftOf(newCardDraft(id)) === undefined) return;
    say("The column of your new card was deleted. The title is kept: New card shows it again.", { bad: true });
  }, [columnIsGone, id]);
  useBoardKeys(store, {
    active: !covered,
    shown,
    onAsk: (ask, ids) => setAction({ ask, ids }),
    onCompose: compose,
    onFilter: () => setFilterOpen(true),
    onClear: clearFilter,
  });

  const failed = store.failed.value;
  if (!head) {
    return (
      <>
        <Bar crumbs={["Board"]} covered={covered} switcher />
        <main id="main" class="page" aria-busy={!failed}>
          <h1 class="sr-only">Board</h1>
          {failed && <Failed failed={failed} onRetry={() => void store.load()} />}
        </main>
      </>
    );
  }

  const empty = head.totals.all === 0 && !isFiltering(filter);
  const creating = store.creating.value;
  return (
    <div class="contents" inert={covered}>
      <Bar
        switcher
        covered={covered}
        crumbs={[{ text: head.project.name || projectName(head.project.id), to: `/p/${head.project.id}` }, head.name]}
      >
        <button type="button" class="btn ghost hide-narrow" onClick={() => setIds(true)}>
          <Icon name="link" small />
          Copy ids
        </button>
        <BoardMenu store={store} head={head} onIds={() => setIds(true)} />
        <button type="button" class="btn primary" onClick={() => compose(phone ?? shown[0]?.id)}>
          <Icon name="plus" small />
          <span class="sr-only-narrow">
            New card <span class="kbd">C</span>
          </span>
        </button>
      </Bar>
      <main id="main" class="board-main" aria-busy={store.waiting.value}>
        <h1 class="sr-only" dir="auto">
          {head.name}
        </h1>
        <FilterBar store={store} filter={filter} project={project} open={filterOpen} onOpen={setFilterOpen} />
        <nav class="column-strip only-narrow" aria-label="Columns" ref={strip}>
          {shown.map(({ id, name, count }) => (
            <button
              type="button"
              key={id}
              data-tab={id}
              aria-current={id === phone ? "true" : undefined}
              onClick={() => setOnPhone(id)}
            >
              <span dir="auto">{name}</span>
              <span class="count">{compact(count)}</span>
            </button>
          ))}
        </nav>
        {failed && <Failed failed={failed} onRetry={() => void store.load()} />}
        {head.archivedAt !== null && <p class="more">This board is archived.</p>}
        {empty && (
          <div class="empty board-empty">
            <p>There is no card on this board yet. Create one with C, or send one from a CI job.</p>
            <CopyBlock text={curlFor(head.project.id, id, columns[0]?.id ?? "")} />
          </div>
        )}
        {head.totals.all + columns.reduce((sum, { count }) => sum + count, 0) === 0 && isFiltering(filter) && (
          <p class="more row">
            No card matches{" "}
            {activeNames(filter)
              .map((name) => wordsOf(name, filter[name], project))
              .join(", ")}
            .
            <button type="button" class="btn" onClick={clearFilter}>
              Clear the filter
            </button>
          </p>
        )}
        <div
          class={`board${display.value.dense ? " dense" : ""}`}
          ref={frame}
          onPointerDown={down}
          onTouchMove={keep}
          onFocusIn={(event) => {
            const card = (event.target as Element).closest<HTMLElement>("[data-card]");
            if (!card) return;
            store.at.value = card.dataset["card"];
            // A press with the pointer must not move the board under it, so only the keyboard's focus scrolls a card
            // into sight.
            if ((event.target as Element).matches(":focus-visible")) reveal(card);
          }}
          onFocusOut={() => queueMicrotask(() => store.settle())}
          onPointerOut={() => queueMicrotask(() => store.settle())}
        >
          {shown.map((column) => (
            <Column
              key={column.id}
              store={store}
              column={column}
              columns={columns}
              shown={column.id === phone}
              dense={display.value.dense}
              composing={composing === column.id}
              onCompose={compose}
              stop={store.at.value}
            />
          ))}
        </div>
      </main>
      {store.chosen.value.size > 0 ? (
        <Selection store={store} onAsk={(ask, ids) => setAction({ ask, ids })} />
      ) : (
        <KeysFoot />
      )}
      {dragged.value && <DragLayer />}
      {dragged.value && project?.agent?.mayStart && (
        <div class={`btn large agent-drop${dragged.value.agent ? " armed" : ""}`} data-agent aria-hidden="true">
          <Icon name="agent" />
          Drop here to assign {project.agent.name}
        </div>
      )}
      {action && project && (
        <CardActionDialog
          store={store}
          project={project}
          action={action}
          onAsk={setAction}
          onClose={() => setAction(undefined)}
        />
      )}
      {creating && (
        <CreateCard
          store={store}
          project={project}
          {...creating}
          onLeft={(title) => {
            store.begun = title;
            compose(creating.columnId);
          }}
          onClose={() => {
            store.creating.value = undefined;
          }}
        />
      )}
      {ids && <IdsDialog boardId={id} head={head} columns={columns} onClose={() => setIds(false)} />}
    </div>
  );
}

/** The column of the card that should get the focus. */
function wantedColumn({ wanted, columns }: BoardStore): string | undefined {
  const id = wanted.value;
  return id === undefined ? undefined : placeOf(columns.value, id)?.columnId;
}

function firstWithCards(columns: BoardStore["columns"]["value"]) {
  return columns.find(({ count }) => count > 0) ?? columns[0];
}

function KeysFoot() {
  return (
    <div class="keys" aria-hidden="true">
      <span>
        <kbd>J</kbd>
        <kbd>K</kbd>card
      </span>
      <span>
        <kbd>H</kbd>
        <kbd>L</kbd>column
      </span>
      <span>
        <kbd>Enter</kbd>open
      </span>
      <span>
        <kbd>M</kbd>move to
      </span>
      <span>
        <kbd>Alt</kbd>
        <kbd>↑↓←→</kbd>move
      </span>
      <span>
        <kbd>A</kbd>assign
      </span>
      <span class="right">
        <kbd>?</kbd>all shortcuts
      </span>
    </div>
  );
}
