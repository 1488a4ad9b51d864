import { useState } from "preact/hooks";
import { limits } from "../../../../../../openapi/schema/limits.ts";
import { api, done } from "../../../core/api.ts";
import { whole } from "../../../core/format.ts";
import { useShortcuts } from "../../../core/keys.ts";
import { useLoad } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Shown } from "../../../parts/states.tsx";

/** The credits that runs may still use. */
export function Credits() {
  const [granting, setGranting] = useState(false);
  const credits = useLoad("credits", () => done(api.credits.get()), { kinds: ["credits", "run"] });
  const grant = () => setGranting(true);
  useShortcuts([{ keys: "n", does: "Grant credits", run: grant }]);
  return (
    <section class="stacked" aria-label="Credits">
      <div class="row">
        <h2>Credits</h2>
        <button type="button" class="btn primary right" onClick={grant}>
          Grant credits <span class="kbd hide-narrow">N</span>
        </button>
      </div>
      <Shown loaded={credits} rows={1} rowHeight={64}>
        {({ balance, held, used }) => (
          <>
            <div class="sheet box">
              <dl class="facts box-body">
                <div>
                  <dt>Left</dt>
                  <dd class="digits">{balance === null ? "Not limited" : whole(balance)}</dd>
                </div>
                <div>
                  <dt>Held by runs</dt>
                  <dd class="digits">{whole(held)}</dd>
                </div>
                <div>
                  <dt>Used in all</dt>
                  <dd class="digits">{whole(used)}</dd>
                </div>
              </dl>
            </div>
            {balance === null && (
              <p class="dim">
                Nobody has granted any, so runs are only counted. From the first grant on they are limited.
              </p>
            )}
          </>
        )}
      </Shown>
      {granting && <Grant balance={credits.data?.balance ?? null} onClose={() => setGranting(false)} />}
    </section>
  );
}

function Grant({ balance, onClose }: { balance: number | null; onClose: () => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const amount = Number(text);
  const fits =
    /^\s*[+-]?\d+\s*$/.test(text) &&
    amount !== 0 &&
    Math.abs(amount) <= limits.creditsMax &&
    amount + (balance ?? 0) >= 0;
  return (
    <FormDialog
      title="Grant credits"
      intro="When a runner claims a run, the credits set for its repository are held. When the run ends, unused credits are returned."
      verb={amount < 0 ? "Take back credits" : "Grant credits"}
      ready={fits}
      onSubmit={async () => {
        const { balance } = await sensitive(() =>
          done(api.credits.grants.post({ amount, ...(note.trim() === "" ? {} : { note: note.trim() }) })),
        );
        say(`${whole(balance)} credits are left now.`);
        onClose();
      }}
      onClose={onClose}
    >
      <Field
        label="Amount"
        hint={
          fits
            ? `${whole((balance ?? 0) + amount)} left afterwards.`
            : `A whole number up to ${whole(limits.creditsMax)}. A negative one takes back what is left.`
        }
      >
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              inputMode="numeric"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      <Field label="Note" hint="What for; kept in the ledger for ever.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              autocomplete="off"
              maxLength={limits.nameMax}
              value={note}
              onInput={(event) => setNote(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
    </FormDialog>
  );
}
