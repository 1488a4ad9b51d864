import type { Static, TSchema } from "@sinclair/typebox";
import type { Typed } from "./typed.ts";

/**
 * The method, path, body and answer of a route under `/internal/`, for the compiler only: no value has this member. Eden
 * derives the types of the page's calls from it.
 */
export interface RouteTypes<Method extends string, Path extends string, Body, Answer> {
  readonly [types]: { method: Method; path: Path; body: Body; answer: Answer };
}
declare const types: unique symbol;

/** The type of a body by its schema; undefined without one. */
export type BodyOf<Body> = Body extends TSchema ? Static<Body> : undefined;

export type RouteTypesOf<Route> =
  Route extends RouteTypes<infer Method, infer Path, infer Body, infer Answer>
    ? Typed<
        Method,
        Path,
        { body: Body; query: Record<string, string | undefined> | undefined; answers: { 200: Answer } }
      >
    : never;
