import type { Static, TSchema } from "@sinclair/typebox";
import type { Typed } from "./typed.ts";

/** What a route of the pages says of itself, to the types only: Eden has its calls from it. */
export interface RouteTypes<Method extends string, Path extends string, Body, Answer> {
  readonly [told]: { method: Method; path: Path; body: Body; answer: Answer };
}
declare const told: unique symbol;

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
