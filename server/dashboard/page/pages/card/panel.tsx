import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { escapeInvisible } from "../../../../text/escape-invisible.ts";
import { copy } from "../../core/copy.ts";
import { plural } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { go, place } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Receipt } from "../../parts/receipt.tsx";
import { placeOf } from "../board/order.ts";
import { useProject } from "../board/project.ts";
import { shownBoard } from "../board/store.ts";
import { Activity } from "./activity.tsx";
import { PutAway, useActs } from "./card-lifecycle.tsx";
import { Compose } from "./compose.tsx";
import { Description } from "./description.tsx";
import { Properties, type Property } from "./properties.tsx";
import { RunBox } from "./run-box.tsx";
import { Title } from "./title.tsx";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** Whether cards use the full width; kept until the window is closed. */
const full = signal(false);

export function Panel({ card, data, alone }: { card: CardCalls; data: CardDetail; alone: boolean }) {
  const [open, setOpen] = useState<Property>();
  const [editing, setEditing] = useState(false);
  const project = useProject(data.project.id).data;
  const panel = useRef<HTMLElement>(null);
  const acts = useActs(card, data, project);
  const link = `${location.origin}/cards/${data.id}`;
  const title = data.title.trim() === "" ? "(untitled)" : data.title;
  const still = data.deletedAt !== null || data.archivedAt !== null;

  function close() {
    if (place.value.behind === undefined) go(`/p/${data.project.id}/boards/${data.board.id}`);
    else history.back();
  }

  function walk(by: 1 | -1) {
    const stands = placeOf(shownBoard.value?.columns.value ?? [], data.id);
    const next = stands?.column.cards[stands.index + by];
    if (next) go(`/cards/${next.id}`, { replace: true, over: place.value.behind !== undefined });
  }

  async function copied(text: string, what: string) {
    say((await copy(text)) ? `${what} copied` : text);
  }

  const edit = (property: Property) => () => !still && setOpen(property);
  useShortcuts([
    { keys: "Escape", run: close },
    { keys: "[", does: "Previous card", run: () => walk(-1) },
    { keys: "]", does: "Next card", run: () => walk(1) },
    { keys: "e", does: "Edit title", run: () => !still && setEditing(true) },
    { keys: "p", does: "Priority", run: edit("priority") },
    { keys: "a", does: "Assign", run: edit("assignee") },
    { keys: "d", does: "Dates", run: edit("dates") },
    { keys: "m", does: "Move to…", run: () => !still && acts.move() },
    { keys: "y", does: "Copy link", run: () => void copied(link, "Link") },
    { keys: "Y", does: "Copy id", run: () => void copied(data.id, "Id") },
  ]);

  useEffect(() => {
    setEditing(false);
    setOpen(undefined);
    panel.current?.focus();
    panel.current?.querySelector(".scroll")?.scrollTo(0, 0);
  }, [data.id]);
  // Closing returns the focus to the card on the board, once the board can take it.
  const last = useRef(data.id);
  last.current = data.id;
  useEffect(
    () => () => {
      const board = shownBoard.peek();
      if (board && placeOf(board.columns.peek(), last.current)) board.wanted.value = last.current;
    },
    [],
  );
  useEffect(() => {
    document.title = escapeInvisible(`${title} · ${data.board.name} · Intake`);
  }, [title, data.board.name]);

  const inside = (
    <>
      <header>
        <button type="button" class="btn ghost square only-narrow" aria-label="Back to the board" onClick={close}>
          <Icon name="left" />
        </button>
        <div class="crumbs">
          <a class="hide-narrow ellipsis" dir="auto" href={`/p/${data.project.id}/boards/${data.board.id}`}>
            {data.board.name}
          </a>
          <span class="separator hide-narrow" aria-hidden="true">
            /
          </span>
          <span class="soft ellipsis" dir="auto">
            {data.column.name}
          </span>
          {data.place && (
            <span class="mono dim hide-narrow">
              {data.place.index} of {data.place.of}
            </span>
          )}
        </div>
        <span class="right row gap-2">
          <CopyButton text={data.id} label="Copy id" class="btn ghost hide-narrow" />
          <button
            type="button"
            class="btn ghost square"
            aria-label="Copy link"
            title="Copy link (Y)"
            onClick={() => void copied(link, "Link")}
          >
            <Icon name="link" />
          </button>
          {!alone && (
            <button
              type="button"
              class="btn ghost square hide-narrow only-wide"
              aria-label={full.value ? "Show beside the board" : "Show over the whole page"}
              aria-pressed={full.value}
              onClick={() => {
                full.value = !full.value;
              }}
            >
              <Icon name="expand" />
            </button>
          )}
          <Menu label="More acts" items={acts.items} />
          <button
            type="button"
            class="btn ghost square hide-narrow"
            aria-label="Close"
            title="Close (Esc)"
            onClick={close}
          >
            <Icon name="x" />
          </button>
        </span>
      </header>
      <div class="scroll">
        <Stored data={data} />
        <PutAway card={card} data={data} />
        <Title card={card} data={data} editing={editing} onEditing={setEditing} still={still} />
        <Properties card={card} data={data} project={project} open={open} onOpen={setOpen} still={still} />
        {data.run && <RunBox run={data.run} still={still} onDone={card.loaded.reload} />}
        <Description card={card} data={data} still={still} />
        <Activity card={card} data={data} members={project?.members ?? []} />
      </div>
      {data.deletedAt === null && <Compose card={card} data={data} members={project?.members ?? []} />}
    </>
  );
  return (
    <>
      {!alone && !full.value && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a press beside the card closes it; Escape does the same.
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <div class="panel-backdrop" onClick={close} />
      )}
      {alone ? (
        <main class="panel" id="main" tabIndex={-1} ref={panel}>
          {inside}
        </main>
      ) : (
        <div
          class={`panel${full.value ? " full" : ""}`}
          role="dialog"
          aria-label={`Card: ${title}`}
          tabIndex={-1}
          ref={panel as RefObject<HTMLDivElement>}
        >
          {inside}
        </div>
      )}
      {acts.dialog}
    </>
  );
}

/** The receipt of a card that was created by the API: stored once, when and by which token. */
function Stored({ data: { receipt } }: { data: CardDetail }) {
  if (!receipt) return null;
  const { token, key, keySet, replays, mismatches } = receipt;
  return (
    <Receipt stamp="Created once" at={receipt.at}>
      <span class="row gap-5">
        <Icon name="ticket" small />
        <b title={token.nameNow === token.nameThen ? undefined : `now ${token.nameNow}`}>
          {token.revokedAt === null ? token.nameThen : <s title="Revoked">{token.nameThen}</s>}
        </b>
        {token.fingerprint}
      </span>
      {key !== null ? <span>key {key}</span> : keySet && <span>key set</span>}
      {replays > 0 && <span class="dim">replayed {replays}×</span>}
      {mismatches > 0 && <span class="text-warn">{plural(mismatches, "mismatch", "mismatches")}</span>}
    </Receipt>
  );
}
