import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { RecentRequest } from "../../../../live/recent-requests.ts";
import { useLoad } from "../../core/load.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Receipt } from "../../parts/receipt.tsx";
import type { Snippet } from "../../parts/snippet.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Coloured } from "./coloured.tsx";

const words = {
  ticket: {
    title: "Ticket",
    from: "from CI, scripts, bots",
    secret: "API token",
    about: "shown once",
    icon: "ticket",
    waiting: "Waiting for your first ticket",
    where: "Listening on /api/v1/tickets. It appears here the moment it is on disk.",
  },
  report: {
    title: "Report",
    from: "from the apps you ship",
    secret: "SDK key",
    about: "may ship in an app",
    icon: "key",
    waiting: "Waiting for your first report",
    where: "Listening on /api/ingest. It appears here the moment it is on disk.",
  },
} as const;

/** One credential, the command that uses it, and whether a request has arrived. */
export function Tile({
  kind,
  secret,
  snippets,
  onCopied,
  children,
}: {
  kind: keyof typeof words;
  secret: string;
  snippets: readonly Snippet[];
  onCopied: () => void;
  /** Shown once a request has arrived. */
  children: ComponentChildren;
}) {
  const { title, from, secret: name, about, icon, waiting, where } = words[kind];
  const [chosen, setChosen] = useState(snippets[0]?.name ?? "");
  const code = useRef<HTMLElement>(null);
  const snippet = snippets.find((one) => one.name === chosen);
  return (
    <section class="tile" aria-label={`First ${kind}`}>
      <header>
        <span class="who token big" aria-hidden="true">
          <Icon name={icon} />
        </span>
        <h2>{title}</h2>
        <span class="dim">{from}</span>
      </header>
      <div>
        <div class="row space-below">
          <span class="soft">{name}</span>
          <span class={`right row gap-5 small ${kind === "ticket" ? "text-warn" : "dim"}`}>
            <Icon name="info" small />
            {about}
          </span>
        </div>
        <div class="secret">
          <code ref={code}>
            <i>{secret.slice(0, 4)}</i>
            {secret.slice(4)}
          </code>
          <CopyButton text={secret} target={() => code.current} onCopied={onCopied} />
        </div>
      </div>
      <div>
        <div class="row space-below">
          <Tabs
            look="segmented"
            label="Snippets"
            tabs={snippets.map(({ name }) => ({ name, label: name }))}
            chosen={chosen}
            onChoose={setChosen}
          />
        </div>
        {snippet && (
          <div class="code-block">
            <CopyButton text={snippet.text} onCopied={() => snippet.text.includes(secret) && onCopied()} />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>
              <Coloured text={snippet.text.replaceAll(secret, `${secret.slice(0, 11)}…`)} />
            </pre>
          </div>
        )}
      </div>
      {children ?? (
        <div class="wait" role="status">
          <span class="pulse">
            <Icon name={kind === "ticket" ? "ticket" : "report"} small />
          </span>
          <div>
            <b>{waiting}</b>
            <span class="dim">{where}</span>
          </div>
        </div>
      )}
    </section>
  );
}

/** The receipt of the ticket or report that arrived. */
export function Arrived({
  title,
  stamp,
  arrival,
  load,
  more,
}: {
  title: string;
  stamp: string;
  arrival: RecentRequest;
  /** The name of the ticket or report. */
  load: (id: string) => Promise<string>;
  more: () => ComponentChildren;
}) {
  const named = useLoad(arrival.made ?? "", () => load(arrival.made ?? ""));
  return (
    <div class="arrived" role="status">
      <div class="row">
        <span class="text-ok row">
          <Icon name="check" />
        </span>
        <b class="strong">{title}</b>
        <span class="right dim digits">{arrival.status}</span>
      </div>
      <Receipt stamp={stamp} at={arrival.at} fresh>
        <b class="ellipsis" dir="auto">
          {named.data}
        </b>
      </Receipt>
      <span class="dim">{more()}</span>
    </div>
  );
}
