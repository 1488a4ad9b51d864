import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { go } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Menu } from "../../parts/menu.tsx";
import { NameDialog } from "./name-dialog.tsx";
import NewProject from "./new-project.tsx";

interface Project {
  id: string;
  name: string;
  archivedAt: string | null;
}

type Open = "board" | "rename" | "create";

/** The actions for a project: members may create boards, everything else is for admins. */
export function ProjectActs({ project, onChanged }: { project: Project; onChanged: () => void }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { id, name } = project;
  const archived = project.archivedAt !== null;

  async function archive(to: boolean) {
    try {
      const call = api.projects({ id });
      await sensitive(() => done(to ? call.archive.post({}) : call.unarchive.post({})));
      say(to ? `${name} is archived` : `${name} is back in the list`, to ? { undo: () => void archive(false) } : {});
      onChanged();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  return (
    <>
      <Menu
        label="Acts on this project"
        items={[
          { label: "New board…", icon: "board", run: () => setOpen("board") },
          ...(isAdmin.value
            ? [
                { label: "Rename project…", icon: "pencil" as const, run: () => setOpen("rename") },
                { label: "New project…", icon: "plus" as const, run: () => setOpen("create") },
                {
                  label: archived ? "Unarchive project" : "Archive project",
                  icon: "disk" as const,
                  run: () => void archive(!archived),
                },
              ]
            : []),
        ]}
      />
      {open === "board" && (
        <NameDialog
          title={`New board in ${name}`}
          verb="Create board"
          onClose={close}
          onSave={async (text) => {
            const board = await done(api.boards.post({ projectId: id, name: text }));
            go(`/p/${id}/boards/${board.id}`);
          }}
        />
      )}
      {open === "rename" && (
        <NameDialog
          title="Rename the project"
          verb="Rename project"
          initial={name}
          onClose={close}
          onSave={async (text) => {
            await done(api.projects({ id }).patch({ name: text }));
            say(`The project is called ${text} now`);
            onChanged();
          }}
        />
      )}
      {open === "create" && <NewProject onClose={close} />}
    </>
  );
}
