import { useEffect } from "preact/hooks";
import { boot, isAdmin } from "../core/boot.ts";
import { go } from "../core/router.ts";
import { Empty } from "../parts/states.tsx";
import { Bar, crumbsOf } from "../shell/bar.tsx";
import { openOverlay } from "../shell/palette.ts";

/** Opens the last board of the last project that this person visited, otherwise the first board. */
export default function Start() {
  const boards = boot.value.projects.flatMap(({ id, boards }) => boards.map((board) => `/p/${id}/boards/${board.id}`));
  const last = localStorage.getItem("intake-board");
  const to = boards.find((board) => board === last) ?? boards[0];
  useEffect(() => {
    if (to !== undefined) go(to, { replace: true });
  }, [to]);
  if (to !== undefined) return <main id="main" class="page" />;
  return (
    <>
      <Bar crumbs={crumbsOf("/")} />
      <main id="main" class="page">
        <Empty
          action={
            isAdmin.value && (
              <button type="button" class="btn primary" onClick={() => openOverlay("project")}>
                New project
              </button>
            )
          }
          command="intake project create --name 'My project'"
        >
          There is no project yet. Create one.
        </Empty>
      </main>
    </>
  );
}
