import { bytes } from "../../../core/format.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Ago } from "../../../parts/time.tsx";
import { ArrivalFeed } from "../../setup/arrival-feed.tsx";
import { useArrivals } from "../../setup/use-arrivals.ts";
import type { OrganisationData } from "../organisation.tsx";

/** The facts about the server that somebody who helps asks for first. */
export function Diagnostics({ data: { diagnostics } }: { data: OrganisationData }) {
  const { version, bun, platform, schema, startedAt, memoryBytes } = diagnostics;
  const { items } = useArrivals();
  const text = `Intake ${version}, Bun ${bun}, ${platform}, schema ${schema}`;
  return (
    <section class="stacked" aria-label="Diagnostics">
      <div class="row">
        <h2>Diagnostics</h2>
        <CopyButton text={text} class="btn right" />
      </div>
      <dl class="facts">
        <div>
          <dt>Version</dt>
          <dd class="mono">{version}</dd>
        </div>
        <div>
          <dt>Runs on</dt>
          <dd>
            Bun {bun}, {platform}
          </dd>
        </div>
        <div>
          <dt>Schema</dt>
          <dd class="digits">{schema}</dd>
        </div>
        <div>
          <dt>Memory</dt>
          <dd class="digits">{bytes(memoryBytes)}</dd>
        </div>
        <div>
          <dt>Running for</dt>
          <dd>
            <Ago at={startedAt} />
          </dd>
        </div>
      </dl>
      <p class="dim">
        <code>intake doctor</code> on the server checks the data directory as a whole.
      </p>
      <ArrivalFeed items={items} />
    </section>
  );
}
