import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { boot } from "../core/boot.ts";
import { useShortcuts } from "../core/keys.ts";
import { go, place } from "../core/router.ts";
import { say, undoLast } from "../core/say.ts";
import { closeOverlay, overlay } from "./palette.ts";

type Overlay = ComponentType<{ onClose: () => void }>;

const load = {
  palette: () => import("./palette-dialog.tsx"),
  help: () => import("./help-dialog.tsx"),
};
const loaded = signal<{ palette?: Overlay; help?: Overlay }>({});

/** The palette and the table of shortcuts, loaded when they are first asked for; and the keys of every page. */
export function Overlays() {
  const open = overlay.value;
  useShortcuts([
    { keys: "Control+k", does: "Search or jump", everywhere: true, run: toggle("palette") },
    { keys: "?", does: "All shortcuts", run: toggle("help") },
    { keys: "z", does: "Undo the last move or removal", run: undoLast },
    { keys: "g b", does: "Go to the board", run: () => go(inProject("boards")) },
    { keys: "g r", does: "Go to reports", run: () => go(inProject("reports")) },
    { keys: "g u", does: "Go to agent runs", run: () => go("/runs") },
    { keys: "g s", does: "Go to subscribers", run: () => go("/subscribers") },
    { keys: "g t", does: "Go to API tokens", run: () => go("/settings/tokens") },
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

/** Of the project that is looked at, else of the first one. */
function inProject(what: "boards" | "reports"): string {
  const { projects } = boot.value;
  const id = /^\/p\/([^/]+)/.exec(place.value.behind ?? place.value.path)?.[1];
  const project = projects.find((one) => one.id === id) ?? projects[0];
  if (!project) return "/";
  if (what === "reports") return `/p/${project.id}/reports`;
  const board = project.boards[0];
  return board ? `/p/${project.id}/boards/${board.id}` : `/p/${project.id}`;
}
