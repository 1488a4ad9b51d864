import type { AnyElysia, CreateEden, Elysia, MergeElysiaInstances, ResolvePath } from "elysia";
import type { ErrorBody, ErrorCode, errors } from "../../openapi/schema/errors.ts";

/** The types of what a route takes and answers with. */
interface Call {
  body?: unknown;
  query?: unknown;
  headers?: unknown;
  answers: Record<number, unknown>;
}

/**
 * The type of an Elysia instance with one route, from which Eden derives a call. Elysia itself would derive it from
 * schemas, and check them before the credential: so these routes have types without schemas.
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

/** The types of all routes in one, for `treaty<App>`. */
export type Composed<Routes extends readonly AnyElysia[]> = MergeElysiaInstances<[...Routes]>;

/** The error body by status, with the codes that have that status. */
type Refusals = { [Status in (typeof errors)[ErrorCode]["status"]]: ErrorBody & { error: CodeOf<Status> } };
type CodeOf<Status> = { [C in ErrorCode]: (typeof errors)[C]["status"] extends Status ? C : never }[ErrorCode];
