import { useState } from "preact/hooks";
import { isAdmin } from "../core/boot.ts";
import { Icon } from "../parts/icon.tsx";
import { Popover } from "../parts/pick.tsx";
import { openOverlay } from "./palette.ts";
import { ProjectLinks } from "./project-links.tsx";

/** The name of the project on a phone; it opens the list of all projects and boards. */
export function ProjectSwitcher({ title }: { title: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Projects and boards"
      class="switcher"
      open={open}
      onOpen={setOpen}
      content={() => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
        <nav class="links" aria-label="Projects and boards" onClick={() => setOpen(false)}>
          <ProjectLinks />
          {isAdmin.value && (
            <button type="button" class="nav" onClick={() => openOverlay("project")}>
              <Icon name="plus" />
              New project
            </button>
          )}
        </nav>
      )}
    >
      <b class="ellipsis" dir="auto">
        {title}
      </b>
      <Icon name="down" small />
      <span class="sr-only">all projects and boards</span>
    </Popover>
  );
}
