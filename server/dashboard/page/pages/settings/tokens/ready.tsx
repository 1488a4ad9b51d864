import { boot } from "../../../core/boot.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Once } from "../../../parts/once.tsx";
import { Snippets } from "../../../parts/snippets.tsx";
import type { Draft } from "./draft.ts";
import { ticketSnippets } from "./snippets.ts";
import { projectNames } from "./token.ts";

/** `itk_`, and the checksum at the end. */
const parts = [4, -6] as const;

export function TokenReady({ draft, value, onClose }: { draft: Draft; value: string; onClose: () => void }) {
  const { all, projects, scopes, limit } = draft;
  // With one project in reach nobody has to name it.
  const named = all || projects.length > 1 ? (all ? boot.value.projects[0]?.id : projects[0]) : undefined;
  return (
    <Once
      title={
        <>
          <Icon name="ticket" />
          <span dir="auto">{draft.name} is ready</span>
        </>
      }
      intro="Copy the token now. Intake keeps only its hash, so this is the one time it can be shown. If it is lost, revoke it and create another."
      secret={value}
      what="token"
      parts={parts}
      onClose={onClose}
    >
      <dl class="facts">
        <div>
          <dt>Reach</dt>
          <dd dir="auto">{all ? "All projects" : projectNames(projects)}</dd>
        </div>
        <div>
          <dt>Scopes</dt>
          <dd class="mono">{scopes.join(", ") || "none"}</dd>
        </div>
        <div>
          <dt>Limit</dt>
          <dd>{limit} per minute</dd>
        </div>
      </dl>
      <Snippets
        label="Try it"
        hint="it reads INTAKE_TOKEN, not the value"
        snippets={ticketSnippets(boot.value.publicUrl, named)}
      />
    </Once>
  );
}
