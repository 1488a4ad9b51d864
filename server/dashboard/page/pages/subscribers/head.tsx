import { type Field, fieldEntries } from "../../../../core/fields.ts";
import { subscriberFields } from "../../../../webhooks/subscribers/subscriber-fields.ts";
import { plural } from "../../core/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Ago } from "../../parts/time.tsx";
import { Health } from "./health.tsx";
import { attemptsIn, type Subscriber, statusLooks, successOf } from "./subscriber.ts";

export function Head({ subscriber }: { subscriber: Subscriber }) {
  const { url, projectName, types, reportTypes, fingerprint, inFlight, lastSuccessAt, headers, hours } = subscriber;
  const { text, tone, icon } = statusLooks[subscriber.subscriberStatus];
  const success = successOf(hours);
  return (
    <section class="subscriber-head" aria-label="Subscriber">
      <div class="shrinkable">
        <div class="row wrap">
          <h1 class="ellipsis" title={url}>
            {url}
          </h1>
          <span class={`pill ${tone}`}>
            <Icon name={icon} />
            {text}
          </span>
        </div>
        <dl class="facts">
          <div>
            <dt>Project</dt>
            <dd dir="auto">{projectName ?? "All projects"}</dd>
          </div>
          <div>
            <dt>Types</dt>
            <dd>{[...types, ...reportTypes].join(", ")}</dd>
          </div>
          <div class="hide-narrow">
            <dt>Secret</dt>
            <dd class="mono" title="Fingerprint: the first eight digits of its hash">
              {fingerprint === null ? <span class="text-err">lost: rotate it</span> : `whsec_ ···· ${fingerprint}`}
            </dd>
          </div>
          {headers.length > 0 && (
            <div class="hide-narrow">
              <dt>Own headers</dt>
              <dd class="mono">{headers.join(", ")}</dd>
            </div>
          )}
          {fieldEntries(subscriberFields).map(([name, field]) => (
            <FieldFact key={name} field={field} value={subscriber[name]} />
          ))}
          <div class="hide-narrow">
            <dt>In flight</dt>
            <dd class="digits">
              {inFlight.now} of {inFlight.max}
            </dd>
          </div>
          <div>
            <dt>Last success</dt>
            <dd class="digits">{lastSuccessAt === null ? "never" : <Ago at={lastSuccessAt} />}</dd>
          </div>
        </dl>
      </div>
      <div class="bars-48h">
        <div class="row justify-end space-below">
          <span class="dim">48 h</span>
          <b class="digits">{success ?? "no attempt"}</b>
          {success !== undefined && <span class="dim">of {plural(attemptsIn(hours), "attempt")}</span>}
        </div>
        <Health hours={hours} />
      </div>
    </section>
  );
}

/** The value of a field that stands nowhere else on the page; nothing when the field is not set. */
function FieldFact({ field, value }: { field: Field; value: unknown }) {
  if (field.fact === undefined || value === null) return null;
  const { label, unit = "" } = field.fact;
  return (
    <div class="hide-narrow">
      <dt>{label}</dt>
      <dd class="digits">{`${value} ${unit}`.trim()}</dd>
    </div>
  );
}
