import type { ApiError } from "./errors.ts";

type CodeOf<Errors, Status extends keyof Errors> = Errors[Status] extends readonly (infer Code extends string)[]
  ? Code
  : never;

/**
 * What an operation may throw as an answer: a union that `code` tells apart. A newer server may have other codes: they
 * reach the `default` of a `switch`. `Errors` are the codes by status, as the document has them.
 */
export type KnownError<Errors> = {
  [Status in keyof Errors]: {
    [Code in CodeOf<Errors, Status>]: ApiError<Code> & { readonly status: Status };
  }[CodeOf<Errors, Status>];
}[keyof Errors];
