import type { ComponentChildren } from "preact";
import { type Fields, formFields, type ShownFields } from "../../../core/fields.ts";
import { wordsOf } from "./field-draft.ts";
import { projectNames } from "./project-names.ts";

/** Lists the values of a subject's fields on its page: those that have a label and are not empty, without the name. */
export function FieldFacts<F extends Fields>({
  fields,
  shown,
  words = {},
}: {
  fields: F;
  shown: ShownFields<F>;
  /** Shown instead of the value of a field. */
  words?: { [N in keyof F]?: ComponentChildren };
}) {
  return (
    <>
      {formFields(fields, "new")
        .filter(([name, { kind }]) => kind !== "name" && shown[name] !== null)
        .map(([name, field]) => (
          <div key={name}>
            <dt>{field.fact?.label ?? field.label}</dt>
            <dd class={field.kind === "choices" ? "mono" : undefined} dir="auto">
              {words[name] ?? wordsOf(field, shown[name], projectNames)}
            </dd>
          </div>
        ))}
    </>
  );
}
