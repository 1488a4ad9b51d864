import type { FieldRules } from "../core/check-fields.ts";
import type { CredentialKind } from "../core/credential.ts";
import { type Fields, type ShownFields, type SomeFields, shownFields } from "../core/fields.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { type KeyFields, keyFields } from "./key-fields.ts";
import type { KeyRow } from "./key-view.ts";
import { requireOrigins } from "./origins.ts";
import { setReachStep } from "./set-reach.ts";
import { type TokenFields, tokenFields } from "./token-fields.ts";
import { type TokenRow, tokenFieldsStep } from "./token-view.ts";

/** What differs between API tokens and SDK keys, for steps that otherwise treat both alike. */
export interface Credential<F extends Fields, R extends Row> {
  kind: CredentialKind;
  table: "api_token" | "sdk_key";
  fields: F;
  rules: FieldRules<F>;
  /** The fields of a row, with what other tables hold of them. */
  fieldsStep(tx: Tx, row: R): Step<ShownFields<F>>;
  /** Stores what other tables hold of the given fields. */
  relateStep(tx: Tx, id: string, given: SomeFields<F>): Step<void>;
}

export const tokens: Credential<TokenFields, TokenRow> = {
  kind: "token",
  table: "api_token",
  fields: tokenFields,
  rules: {},
  fieldsStep: tokenFieldsStep,
  *relateStep(tx, id, { reach }) {
    if (reach !== undefined) yield* setReachStep(tx, id, reach);
  },
};

export const keys: Credential<KeyFields, KeyRow> = {
  kind: "key",
  table: "sdk_key",
  fields: keyFields,
  rules: { origins: requireOrigins },
  *fieldsStep(_, row) {
    return shownFields(keyFields, row);
  },
  *relateStep() {},
};
