import { useState } from "preact/hooks";
import { CopyBlock } from "./copy.tsx";
import type { Snippet } from "./snippet.ts";
import { Tabs } from "./tabs.tsx";

/** The same snippet in several languages. */
export function Snippets({ label, hint, snippets }: { label: string; hint?: string; snippets: readonly Snippet[] }) {
  const [chosen, choose] = useState(snippets[0]?.name ?? "");
  const shown = snippets.find(({ name }) => name === chosen);
  return (
    <div class="stacked">
      <div class="row wrap">
        <Tabs
          label={label}
          look="segmented"
          tabs={snippets.map(({ name }) => ({ name, label: name }))}
          chosen={chosen}
          onChoose={choose}
        />
        {hint !== undefined && <span class="right dim hide-narrow">{hint}</span>}
      </div>
      {shown && <CopyBlock key={shown.name} text={shown.text} />}
    </div>
  );
}
