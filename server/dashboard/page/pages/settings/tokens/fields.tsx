import { boot } from "../../../core/boot.ts";
import { Field } from "../../../parts/field.tsx";
import { type Draft, lengthOf, nameMax, type Scope } from "./draft.ts";

const scopes: readonly { scope: Scope; does: string }[] = [
  { scope: "tickets:write", does: "creates tickets" },
  { scope: "runs:execute", does: "for machines that execute agent runs; not for CI" },
];

/** What a token is made of; the same for a new one and for a change. */
export function TokenFields({
  draft,
  onDraft,
  taken,
}: {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  /** Another token has this name. */
  taken: boolean;
}) {
  const length = lengthOf(draft.name);
  const change = (part: Partial<Draft>) => onDraft({ ...draft, ...part });
  return (
    <>
      <Field
        label="Name"
        hint={
          <>
            It is the author on the cards it makes. {length} of {nameMax}
            {taken && " · Another token has this name; that is allowed."}
          </>
        }
        wrong={length > nameMax ? `At most ${nameMax} characters.` : undefined}
      >
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              dir="auto"
              autocomplete="off"
              placeholder="deploy-gate"
              value={draft.name}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          </span>
        )}
      </Field>
      <fieldset class="options">
        <legend>Reach</legend>
        <label>
          <input type="radio" name="reach" checked={draft.all} onChange={() => change({ all: true })} />
          <span>All projects, also ones made later</span>
        </label>
        <label>
          <input type="radio" name="reach" checked={!draft.all} onChange={() => change({ all: false })} />
          <span>
            Only these <small>later projects are not added</small>
          </span>
        </label>
        {!draft.all && <Projects draft={draft} onDraft={onDraft} />}
        {!draft.all && draft.projects.length === 0 && <p class="t-warn">This token will reach nothing.</p>}
      </fieldset>
      <fieldset class="options">
        <legend>Scopes</legend>
        {scopes.map(({ scope, does }) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={draft.scopes.includes(scope)}
              onChange={() => change({ scopes: toggled(draft.scopes, scope) })}
            />
            <span>
              <code>{scope}</code> <small>{does}</small>
            </span>
          </label>
        ))}
        {draft.scopes.length === 0 && <p class="t-warn">This token will be refused everything.</p>}
      </fieldset>
      <Field label="Requests per minute" hint="60 is what the documents promise.">
        {(tied) => (
          <span class="field w120">
            <input
              {...tied}
              inputMode="numeric"
              autocomplete="off"
              value={draft.limit}
              onInput={(event) => change({ limit: event.currentTarget.value })}
            />
          </span>
        )}
      </Field>
    </>
  );
}

function Projects({ draft, onDraft }: { draft: Draft; onDraft: (draft: Draft) => void }) {
  return (
    <div class="chosen">
      {boot.value.projects.map(({ id, name }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={draft.projects.includes(id)}
            onChange={() => onDraft({ ...draft, projects: toggled(draft.projects, id) })}
          />
          <span dir="auto">{name}</span>
        </label>
      ))}
    </div>
  );
}

function toggled<Value>(list: readonly Value[], value: Value): Value[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}
