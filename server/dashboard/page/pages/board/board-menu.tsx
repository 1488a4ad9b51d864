import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { go } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { BoardName, ColumnForm } from "./lazy-dialogs.ts";
import type { BoardHead, BoardStore } from "./store.ts";

type Open = "ids" | "rename" | "create" | "column" | "delete";

/** The menu of a board, which can also create another one. */
export function BoardMenu({ store, head, onIds }: { store: BoardStore; head: BoardHead; onIds: () => void }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const archived = head.archivedAt !== null;

  async function archive() {
    const board = api.boards({ id: store.id });
    try {
      await sensitive(() => done(archived ? board.unarchive.post({}) : board.archive.post({})));
      say(archived ? "Board is back in the list" : "Board archived", archived ? {} : { undo: () => void unarchive() });
      await store.load();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }
  const unarchive = () =>
    sensitive(() => done(api.boards({ id: store.id }).unarchive.post({}))).then(
      () => store.load(),
      (error: unknown) => say(failureOf(error).message, { bad: true }),
    );

  const items: MenuItem[] = [
    { label: "Copy ids", icon: "link", run: onIds },
    { label: "New column…", icon: "plus", run: () => setOpen("column") },
    { label: "Rename board…", icon: "pencil", run: () => setOpen("rename") },
    { label: "New board…", icon: "board", run: () => setOpen("create") },
    ...(isAdmin.value
      ? [
          { label: archived ? "Unarchive board" : "Archive board", icon: "disk" as const, run: () => void archive() },
          { label: "Delete board…", icon: "trash" as const, danger: true, run: () => setOpen("delete") },
        ]
      : []),
  ];
  return (
    <>
      <Menu label="Acts on this board" items={items} />
      {open === "column" && <ColumnForm boardId={store.id} onDone={() => store.load()} onClose={close} />}
      {open === "rename" && (
        <BoardName
          title="Rename the board"
          verb="Rename board"
          name={head.name}
          onClose={close}
          onSave={async (name) => {
            await done(api.boards({ id: store.id }).patch({ name }));
            await store.load();
          }}
        />
      )}
      {open === "create" && (
        <BoardName
          title={`New board in ${head.project.name}`}
          verb="Create board"
          name=""
          onClose={close}
          onSave={async (name) => {
            const { id } = await done(api.boards.post({ projectId: head.project.id, name }));
            go(`/p/${head.project.id}/boards/${id}`);
          }}
        />
      )}
      {open === "delete" && (
        <Confirm
          title={`Delete the board ${head.name}?`}
          verb="Delete board"
          typed={head.totals.all > 0 ? head.name : undefined}
          onClose={close}
          onConfirm={async () => {
            await sensitive(() => done(api.boards({ id: store.id }).delete()));
            go(`/p/${head.project.id}`);
          }}
        >
          <p>Its columns and cards go with it. Requests that name the board's id get an error from then on.</p>
        </Confirm>
      )}
    </>
  );
}
