import { useState } from "preact/hooks";
import { bytes } from "../../core/format.ts";
import { bothClocks, span } from "../../core/time.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Answer } from "./answer.tsx";
import { type DeliveryDetail, faultWords, outcomeWord } from "./subscriber.ts";

type Attempt = DeliveryDetail["attempts"][number];
type Request = DeliveryDetail["request"];

/** The attempts of a delivery, newest first. The chosen one shows its request and its answer. */
export function Attempts({
  attempts,
  request,
  createdAt,
}: {
  attempts: readonly Attempt[];
  request: Request;
  createdAt: string;
}) {
  const [open, setOpen] = useState(attempts[0]?.number);
  if (attempts.length === 0) {
    return (
      <>
        <p class="dim">No attempt was made yet. This is what will be sent:</p>
        <div class="box clipped">
          <div class="http">
            <Sent request={request} signed={null} />
          </div>
        </div>
      </>
    );
  }
  return (
    <div class="box attempts clipped">
      {attempts.map((attempt) => {
        const { number, at, ms, status, error } = attempt;
        const shown = number === open;
        return (
          <div key={number}>
            <button
              type="button"
              class={`attempt${shown ? " open" : ""}`}
              aria-expanded={shown}
              onClick={() => setOpen(shown ? undefined : number)}
            >
              <span class="attempt-number">#{number}</span>
              <span class={`strong ${error === null ? "text-ok" : "text-err"}`}>{outcomeWord({ status, error })}</span>
              <time class="digits" dateTime={at} title={bothClocks(at)}>
                {new Date(at).toLocaleTimeString("en-GB")}
              </time>
              <span class="digits dim">{ms === null ? "?" : span(ms)}</span>
              <span class="dim ellipsis">
                {faultWords(error)}
                {number === 1 && `, ${span(Math.max(0, Date.parse(at) - Date.parse(createdAt)))} after it was queued`}
              </span>
              <Icon name={shown ? "down" : "right"} small />
            </button>
            {shown && (
              <div class="http">
                <Sent request={request} signed={attempt.signed} />
                <Answer answered={attempt} />
              </div>
            )}
          </div>
        );
      })}
    </div>
  );
}

function Sent({ request, signed }: { request: Request; signed: Attempt["signed"] }) {
  const { target, headers, ownHeaders, body, bytes: size } = request;
  const lines = [
    ...Object.entries({ ...headers, ...signed }).map(([name, value]) => `${name}: ${value}`),
    ...ownHeaders.map((name) => `${name.toLowerCase()}: (not shown)`),
  ];
  return (
    <div>
      <h3>
        Request <span class="right dim">{bytes(size)}</span>
        <CopyButton text={body} label="Copy body" class="btn ghost tiny" />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="code-block" tabIndex={0}>
        <span class="code-comment">POST {target}</span>
        {`\n${lines.join("\n")}\n\n${body}`}
      </pre>
      {signed !== null && <small class="dim">Signed again, with the secret of today.</small>}
    </div>
  );
}
