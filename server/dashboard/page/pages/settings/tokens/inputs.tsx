import { limits } from "../../../../../../openapi/schema/limits.ts";
import { type TokenFields, tokenFields } from "../../../../../credentials/token-fields.ts";
import { type Draft, type Form, lengthOf } from "../../../parts/field-draft.ts";
import { FieldInputs } from "../../../parts/field-inputs.tsx";

/** The inputs of a token, in the forms for a new token and for changes. */
export function TokenInputs({
  form,
  draft,
  onDraft,
  taken,
}: {
  form: Form;
  draft: Draft<TokenFields>;
  onDraft: (draft: Draft<TokenFields>) => void;
  /** True when another token has the same name. */
  taken: boolean;
}) {
  const name = (
    <>
      {tokenFields.name.help} {lengthOf(draft.name)} of {limits.nameMax}
      {taken && " · Another token has this name; that is allowed."}
    </>
  );
  return <FieldInputs fields={tokenFields} form={form} draft={draft} onDraft={onDraft} hints={{ name }} />;
}
