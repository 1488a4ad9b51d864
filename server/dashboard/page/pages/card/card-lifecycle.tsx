import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { copy } from "../../core/copy.ts";
import { newOp } from "../../core/op.ts";
import { say } from "../../core/say.ts";
import { day } from "../../core/time.ts";
import type { MenuItem } from "../../parts/menu.tsx";
import { Note } from "../../parts/note.tsx";
import { Ago } from "../../parts/time.tsx";
import { moveCard } from "../board/move.ts";
import type { ProjectDetail } from "../board/project.ts";
import { shownBoard } from "../board/store.ts";
import { MoveTo } from "../card-fields/lazy-dialogs.ts";
import type { Destination } from "../card-fields/move-to.tsx";
import type { CardCalls, CardDetail } from "./use-card.ts";

/** The actions of a card's menu: moving, archiving and deleting. */
export function useActs(card: CardCalls, data: CardDetail, project: ProjectDetail | undefined) {
  const [moving, setMoving] = useState(false);
  const call = api.cards({ id: data.id });

  async function put(work: () => Promise<unknown>, text: string, back: () => Promise<unknown>) {
    const worked = await card.act(async () => {
      await work();
      heard(data);
    });
    if (worked) say(text, { undo: () => void card.act(() => back().then(() => heard(data))) });
  }
  const archive = () => done(call.archive.post({}));
  const unarchive = () => done(call.unarchive.post({}));
  const remove = () => done(call.delete());
  const restore = () => done(call.restore.post({}));

  async function move({ columnId, after }: Destination) {
    const board = shownBoard.value;
    const column = board?.columns.value.find(({ id }) => id === columnId);
    if (board?.id === data.board.id && column && (after === null || column.next === null)) {
      await moveCard(board, data.id, { columnId, index: after === null ? 0 : column.cards.length });
    } else {
      await done(call.move.post({ columnId, after, op: newOp(), seenMoves: data.moves }));
      say("Moved");
      heard(data);
    }
    card.loaded.reload();
  }

  const copied = (text: string, what: string) => copy(text).then((worked) => say(worked ? `${what} copied` : text));
  const items: MenuItem[] =
    data.deletedAt !== null
      ? [{ label: "Restore", icon: "undo", run: () => void put(restore, "Card restored", remove) }]
      : [
          ...(data.archivedAt === null
            ? ([
                { label: "Move to…", icon: "right", run: () => setMoving(true) },
                { label: "Archive", icon: "disk", run: () => void put(archive, "Card archived", unarchive) },
              ] as const)
            : ([
                { label: "Unarchive", icon: "undo", run: () => void put(unarchive, "Card is back", archive) },
              ] as const)),
          { label: "Copy link", icon: "link", run: () => void copied(`${location.origin}/cards/${data.id}`, "Link") },
          { label: "Copy id", icon: "copy", run: () => void copied(data.id, "Id") },
          { label: "Delete", icon: "trash", danger: true, run: () => void put(remove, "Card deleted", restore) },
        ];
  return {
    items,
    move: () => setMoving(true),
    dialog: moving && project && (
      <MoveTo
        title="Move this card"
        project={project}
        boardId={data.board.id}
        columnId={data.columnId}
        onMove={move}
        onClose={() => setMoving(false)}
      />
    ),
  };
}

/** Tells the board behind the card to load the card again at once. */
function heard({ id, board }: CardDetail) {
  shownBoard.value?.hear([{ kind: "card", id, in: board.id }]);
}

/** The note on an archived or deleted card: who did it, when, and how the card comes back. */
export function PutAway({ card, data: { id, deleted, archivedAt } }: { card: CardCalls; data: CardDetail }) {
  const call = api.cards({ id });
  if (deleted) {
    return (
      <Note>
        {deleted.by ? `${deleted.by.name} deleted this card ` : "This card was deleted "}
        <Ago at={deleted.at} words />. It can be restored until {day(deleted.restorableUntil)}.{" "}
        <button type="button" class="btn" onClick={() => void card.act(() => done(call.restore.post({})))}>
          Restore
        </button>
      </Note>
    );
  }
  if (archivedAt === null) return null;
  return (
    <Note tone="info">
      This card was archived <Ago at={archivedAt} words />.{" "}
      <button type="button" class="btn" onClick={() => void card.act(() => done(call.unarchive.post({})))}>
        Unarchive
      </button>
    </Note>
  );
}
