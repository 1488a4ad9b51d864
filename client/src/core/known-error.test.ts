import { expect, expectTypeOf, test } from "bun:test";
import type { createTicketErrors, submitReportErrors } from "../generated/contract.ts";
import type { ReportError, TicketError } from "../types.ts";
import type { ApiError } from "./errors.ts";
import type { KnownError } from "./known-error.ts";

interface Errors {
  readonly 400: readonly ["invalid_input", "too_late"];
  readonly 404: readonly ["not_found"];
}

test("checking the code narrows the type of the status", () => {
  const status = (error: KnownError<Errors>): number => {
    switch (error.code) {
      case "invalid_input":
      case "too_late":
        expectTypeOf(error.code).toEqualTypeOf<"invalid_input" | "too_late">();
        expectTypeOf(error.status).toEqualTypeOf<400>();
        return error.status;
      case "not_found":
        expectTypeOf(error.status).toEqualTypeOf<404>();
        return error.status;
      default:
        // An error code that only a newer server sends.
        expectTypeOf(error).toBeNever();
        return (error as ApiError).status;
    }
  };
  expect(status({ code: "not_found", status: 404 } as KnownError<Errors>)).toBe(404);
  expect(status({ code: "from_next_year", status: 409 } as unknown as KnownError<Errors>)).toBe(409);
});

test("a misspelt code does not compile", () => {
  expectTypeOf<"not_fuond">().not.toExtend<KnownError<Errors>["code"]>();
});

test("the operations have exactly the codes of the document", () => {
  type CodeOf<Errors> = Errors[keyof Errors] extends infer Codes
    ? Codes extends readonly (infer Code)[]
      ? Code
      : never
    : never;
  expectTypeOf<TicketError["code"]>().toEqualTypeOf<CodeOf<typeof createTicketErrors>>();
  expectTypeOf<ReportError["code"]>().toEqualTypeOf<CodeOf<typeof submitReportErrors>>();
  expectTypeOf<Extract<ReportError, { code: "payload_too_large" }>["status"]>().toEqualTypeOf<413>();
});
