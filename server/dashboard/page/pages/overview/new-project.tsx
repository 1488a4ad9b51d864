import { api, done } from "../../core/api.ts";
import { go } from "../../core/router.ts";
import { NameDialog } from "./name-dialog.tsx";

/** The dialog that creates a project with its first board and then opens it. */
export default function NewProject({ onClose }: { onClose: () => void }) {
  return (
    <NameDialog
      title="New project"
      verb="Create project"
      onClose={onClose}
      onSave={async (name) => {
        const made = await done(api.projects.post({ name }));
        go(`/p/${made.id}`);
      }}
    />
  );
}
