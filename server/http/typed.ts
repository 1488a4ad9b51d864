import type { AnyElysia, CreateEden, Elysia, MergeElysiaInstances, ResolvePath } from "elysia";
import type { ErrorBody, ErrorCode, errors } from "../../openapi/schema/errors.ts";

/** What a route takes and answers with. */
interface Call {
  body?: unknown;
  query?: unknown;
  headers?: unknown;
  answers: Record<number, unknown>;
}

/**
 * An instance with one route whose types Eden knows. Elysia has them from schemas, which it would also check, before
 * the credential is looked at: here they are only told.
 */
export type Typed<Method extends string, Path extends string, RouteTypes extends Call> = Elysia<
  "",
  Elysia["~Singleton"],
  Elysia["~Definitions"],
  Elysia["~Metadata"],
  CreateEden<
    Path,
    {
      [M in Lowercase<Method>]: {
        body: RouteTypes["body"];
        query: RouteTypes["query"];
        headers: RouteTypes["headers"];
        params: ResolvePath<Path>;
        response: RouteTypes["answers"] & Refusals;
      };
    }
  >
>;

/** All routes in one type, for `treaty<App>`. */
export type Composed<Routes extends readonly AnyElysia[]> = MergeElysiaInstances<[...Routes]>;

/** Status → the error codes that it comes with. */
type Refusals = { [Status in (typeof errors)[ErrorCode]["status"]]: ErrorBody & { error: CodeOf<Status> } };
type CodeOf<Status> = { [C in ErrorCode]: (typeof errors)[C]["status"] extends Status ? C : never }[ErrorCode];
