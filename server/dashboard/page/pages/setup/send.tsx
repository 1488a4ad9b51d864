import { useEffect, useRef, useState } from "preact/hooks";
import type { RecentRequest } from "../../../../live/recent-requests.ts";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { speak } from "../../core/say.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Failed } from "../../parts/states.tsx";
import { ArrivalFeed } from "./arrival-feed.tsx";
import type { Made } from "./page.tsx";
import { reportSnippets, ticketSnippets } from "./snippets.ts";
import { Arrived, Tile } from "./tile.tsx";
import { useArrivals } from "./use-arrivals.ts";

/** The last step: both credentials, a command for each, and the requests that arrive with them. */
export function SendSomething({ made }: { made: Made }) {
  const { publicUrl, ingestUrl } = boot.value;
  const { items, failed, reload } = useArrivals();
  const ticket = useFirst(items, "tickets");
  const report = useFirst(items, "reports");
  const [copied, setCopied] = useState(false);
  const [asking, setAsking] = useState(false);
  const confirmed = useRef(false);
  const head = useRef<HTMLHeadingElement>(null);
  const safe = copied || ticket !== undefined;

  useEffect(() => head.current?.focus(), []);
  useEffect(() => {
    if (safe) return;
    // The browser asks with its own words.
    const ask = (event: BeforeUnloadEvent) => {
      if (!confirmed.current) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [safe]);

  // The document is loaded again, so that the secrets do not stay in memory.
  const leave = () => location.assign(`/p/${made.project.id}/boards/${made.board.id}`);
  const open = () => (safe ? leave() : setAsking(true));

  return (
    <>
      <div class="lead">
        <h1 tabIndex={-1} ref={head}>
          Send something in
        </h1>
        <p>
          A project, a board, a token and a key are ready. Paste one command into a terminal and watch it arrive here.
        </p>
      </div>
      <div class="side-by-side">
        <Tile
          kind="ticket"
          secret={made.apiToken.token}
          snippets={ticketSnippets(publicUrl, made.apiToken.token)}
          onCopied={() => setCopied(true)}
        >
          {ticket && (
            <Arrived
              title="Your first ticket is here"
              stamp="Created once"
              arrival={ticket}
              load={async (id) => (await done(api.cards({ id }).get())).title}
              more={() => "Run the same command again: the answer is the same ticket, not a second one."}
            />
          )}
        </Tile>
        <Tile
          kind="report"
          secret={made.sdkKey.key}
          snippets={reportSnippets(ingestUrl, publicUrl, made.sdkKey.key)}
          onCopied={() => {}}
        >
          {report && (
            <Arrived
              title="Your first report is here"
              stamp="Stored once"
              arrival={report}
              load={async (id) => (await done(api.reports({ id }).get())).title ?? "(untitled)"}
              more={() => (
                <>
                  Stored once, fanned out to 0 subscribers.{" "}
                  <a href="/subscribers" target="_blank" rel="noreferrer">
                    Add a subscriber
                  </a>
                </>
              )}
            />
          )}
        </Tile>
      </div>
      {failed ? <Failed failed={failed} onRetry={reload} /> : <ArrivalFeed items={items} />}
      <div class="row wrap">
        <button type="button" class={`btn large${ticket || report ? " primary" : ""}`} onClick={open}>
          Open the board
        </button>
        {ticket && !report && (
          <button type="button" class="btn ghost large" onClick={open}>
            Skip the report for now
          </button>
        )}
        <span class="right dim hide-narrow">The token stays on this page until you leave it.</span>
      </div>
      {asking && (
        <Confirm
          title="Leave without copying?"
          verb="Leave this page"
          onConfirm={async () => {
            confirmed.current = true;
            leave();
          }}
          onClose={() => setAsking(false)}
        >
          <p>The API token cannot be shown again. The SDK key can, under Settings.</p>
        </Confirm>
      )}
    </>
  );
}

/** The first request that was accepted; it stays even when later ones push it out of the list. */
function useFirst(items: readonly RecentRequest[], api: RecentRequest["api"]): RecentRequest | undefined {
  const first = useRef<RecentRequest | undefined>(undefined);
  const found = items.findLast((item) => item.api === api && item.made !== undefined && item.status < 300);
  const came = first.current === undefined && found !== undefined;
  first.current ??= found;
  useEffect(() => {
    if (came) speak(api === "tickets" ? "Your first ticket is here" : "Your first report is here");
  }, [came]);
  return first.current;
}
