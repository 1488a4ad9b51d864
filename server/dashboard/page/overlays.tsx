import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { boot } from "./core/boot.ts";
import { useShortcuts } from "./core/keys.ts";
import { go, place } from "./core/router.ts";
import { say, undoLast } from "./core/say.ts";
import { closeOverlay, type Overlay, overlay } from "./shell/palette.ts";

type Shown = ComponentType<{ onClose: () => void }>;

const load: Record<Overlay, () => Promise<{ default: Shown }>> = {
  palette: () => import("./shell/palette-dialog.tsx"),
  help: () => import("./shell/help-dialog.tsx"),
  token: () => import("./pages/settings/tokens/new-token.tsx"),
  project: () => import("./pages/overview/new-project.tsx"),
  invite: () => import("./pages/settings/members/invite.tsx"),
};
const loaded = signal<Partial<Record<Overlay, Shown>>>({});

/** The overlays that every page can open, each loaded when it is first opened, and the shortcuts of every page. */
export function Overlays() {
  const open = overlay.value;
  useShortcuts([
    { keys: "Control+k", does: "Search or jump", common: true, everywhere: true, run: toggle("palette") },
    { keys: "?", does: "All shortcuts", common: true, run: toggle("help") },
    { keys: "z", does: "Undo the last move or removal", common: true, run: undoLast },
    { keys: "g b", does: "Go to the board", common: true, run: () => go(inProject("boards")) },
    { keys: "g r", does: "Go to reports", common: true, run: () => go(inProject("reports")) },
    { keys: "g u", does: "Go to agent runs", common: true, run: () => go("/runs") },
    { keys: "g s", does: "Go to subscribers", common: true, run: () => go("/subscribers") },
    { keys: "g t", does: "Go to API tokens", common: true, run: () => go("/settings/tokens") },
  ]);
  useEffect(() => {
    if (!open || loaded.value[open]) return;
    load[open]().then(
      ({ default: Dialog }) => {
        loaded.value = { ...loaded.value, [open]: Dialog };
      },
      () => {
        closeOverlay();
        say("This could not be loaded. Check the connection.", { bad: true });
      },
    );
  }, [open]);
  const Dialog = open && loaded.value[open];
  return Dialog ? <Dialog onClose={closeOverlay} /> : null;
}

function toggle(name: "palette" | "help") {
  return () => {
    overlay.value = overlay.value === name ? undefined : name;
  };
}

/** The address of the board or the reports of the shown project, or of the first project when none is shown. */
function inProject(what: "boards" | "reports"): string {
  const { projects } = boot.value;
  const id = /^\/p\/([^/]+)/.exec(place.value.behind ?? place.value.path)?.[1];
  const project = projects.find((one) => one.id === id) ?? projects[0];
  if (!project) return "/";
  if (what === "reports") return `/p/${project.id}/reports`;
  const board = project.boards[0];
  return board ? `/p/${project.id}/boards/${board.id}` : `/p/${project.id}`;
}
