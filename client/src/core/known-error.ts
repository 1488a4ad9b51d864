import type { ApiError } from "./errors.ts";

type CodeOf<Errors, Status extends keyof Errors> = Errors[Status] extends readonly (infer Code extends string)[]
  ? Code
  : never;

/**
 * The union of errors that the server may answer to one operation, told apart by `code`. A newer server may send further
 * codes; they reach the `default` of a `switch`. `Errors` lists the codes by status, as the OpenAPI document does.
 */
export type KnownError<Errors> = {
  [Status in keyof Errors]: {
    [Code in CodeOf<Errors, Status>]: ApiError<Code> & { readonly status: Status };
  }[CodeOf<Errors, Status>];
}[keyof Errors];
