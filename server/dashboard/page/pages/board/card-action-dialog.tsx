import { plural } from "../../core/format.ts";
import { say } from "../../core/say.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { PickList } from "../../parts/pick.tsx";
import { isAlive } from "../../parts/run-words.ts";
import { Dates } from "../card-fields/dates.tsx";
import { AssignAgent, MoveTo } from "../card-fields/lazy-dialogs.ts";
import type { Destination } from "../card-fields/move-to.tsx";
import { assigneeOptions, priorityOptions } from "../card-fields/options.tsx";
import { type BulkChange, changeCards } from "./bulk-change.ts";
import type { Ask } from "./keys.ts";
import { moveCard, titleOf } from "./move.ts";
import { placeOf } from "./order.ts";
import type { ProjectDetail } from "./project.ts";
import type { BoardStore } from "./store.ts";

export interface CardAction {
  ask: Ask | "agent" | "unassign";
  ids: readonly string[];
  /** Id of the member who becomes the assignee instead of the agent; null for nobody. */
  to?: string | null;
}

type Fields = Extract<BulkChange, { kind: "set" }>["fields"];

interface CardActionDialogProps {
  store: BoardStore;
  project: ProjectDetail;
  action: CardAction;
  onAsk: (action: CardAction) => void;
  onClose: () => void;
}

/** The dialog that changes the focused card, or all selected cards. */
export function CardActionDialog({
  store,
  project,
  action: { ask, ids, to = null },
  onAsk,
  onClose,
}: CardActionDialogProps) {
  const first = placeOf(store.columns.value, ids[0] ?? "");
  if (!first) return null;
  const what = ids.length === 1 ? titleOf(first) : plural(ids.length, "card");
  const { priority, assignee } = first.card;

  async function set(fields: Fields) {
    onClose();
    await changeCards(store, ids, { kind: "set", fields });
  }

  async function move({ columnId, after }: Destination) {
    const [id] = ids;
    const column = store.columns.value.find((column) => column.id === columnId);
    if (ids.length === 1 && id !== undefined && column && (after === null || column.next === null)) {
      store.wanted.value = id;
      void moveCard(store, id, { columnId, index: after === null ? 0 : column.cards.length });
      return;
    }
    await changeCards(store, ids, { kind: "move", columnId, after });
  }

  if (ask === "move") {
    return (
      <MoveTo
        title={`Move ${what}`}
        project={project}
        boardId={store.id}
        columnId={first.columnId}
        onMove={move}
        onClose={onClose}
      />
    );
  }
  if (ask === "agent") {
    return (
      <AssignAgent
        project={project}
        onClose={onClose}
        onAssign={(repository) =>
          set({
            assigneeUserId: project.agent?.id ?? null,
            ...(repository === undefined ? {} : { agentRepositoryId: repository }),
          })
        }
      />
    );
  }
  if (ask === "unassign") {
    return (
      <Confirm
        title={`Take ${what} from the agent?`}
        verb="Unassign and cancel"
        keep="Keep the agent"
        onConfirm={() => changeCards(store, ids, { kind: "set", fields: { assigneeUserId: to } })}
        onClose={onClose}
      >
        <p>This cancels {ids.length === 1 ? "the run" : "their runs"}.</p>
      </Confirm>
    );
  }
  const runs = ids.filter((id) => {
    const card = placeOf(store.columns.value, id)?.card;
    return card?.assignee?.kind === "agent" && card.run && isAlive(card.run.state);
  });

  function assign(id: string) {
    const to = id === "" ? null : id;
    if (to === (project.agent?.id ?? "")) {
      if (runs.length < ids.length) return onAsk({ ask: "agent", ids });
      onClose();
      say(ids.length === 1 ? "A run of this card is under way." : "Runs of these cards are under way.");
    } else if (runs.length > 0) onAsk({ ask: "unassign", ids, to });
    else void set({ assigneeUserId: to });
  }

  const words = { assign: `Assign ${what}`, priority: `Priority of ${what}`, dates: `Dates of ${what}` }[ask];
  return (
    <Dialog
      title={words}
      onClose={onClose}
      footer={
        <button type="button" class="btn right" onClick={onClose}>
          Cancel
        </button>
      }
    >
      {ask === "dates" && <Dates dates={first.card} onSave={(dates) => void set(dates)} />}
      {ask === "priority" && (
        <PickList
          label="Priority"
          options={priorityOptions}
          chosen={priority}
          onPick={(id) => void set({ priority: id as "none" })}
        />
      )}
      {ask === "assign" && (
        <PickList
          label="Assignee"
          search
          options={assigneeOptions(project)}
          chosen={assignee?.id ?? ""}
          onPick={assign}
        />
      )}
    </Dialog>
  );
}
