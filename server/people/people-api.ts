import type { Static, TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { checker, fault } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { DeletePerson, ExportPerson, PersonQuery } from "../../openapi/schema/people.ts";
import type { Scope } from "../../openapi/schema/scopes.ts";
import { type Context, Refusal } from "../core/context.ts";
import { InvalidCursor } from "../core/page.ts";
import { type AuthenticatedToken, authenticateToken, requireScope } from "../credentials/authenticate.ts";
import { answer, InvalidInput } from "../http/answer.ts";
import { bearerOf } from "../http/bearer.ts";
import type { Edge } from "../http/edge.ts";
import { readJson } from "../http/json-body.ts";
import { answerPublic, credential, PublicCall, type Refused, requestLimit, serverRuns } from "../http/public-route.ts";
import { deletePerson } from "./delete-person.ts";
import { exportPerson, pageText } from "./export-person.ts";
import { findPerson } from "./find-person.ts";
import type { PeopleTools } from "./person.ts";

/** `/api/v1/people`: a person's data, for API tokens with a scope of their own. */
export function peopleApi(edge: Edge, tools: PeopleTools) {
  const app = new Elysia();
  on("findPerson", "/api/v1/people/find", "people:read", PersonQuery, async (ctx, input) =>
    JSON.stringify(await findPerson({ ctx, tools, input })),
  );
  on("exportPerson", "/api/v1/people/export", "people:read", ExportPerson, async (ctx, input) =>
    pageText(await exportPerson({ ctx, tools, input })),
  );
  on("deletePerson", "/api/v1/people/delete", "people:delete", DeletePerson, async (ctx, input) =>
    JSON.stringify(await deletePerson({ ctx, tools, input })),
  );
  return app;

  function on<Body extends TObject>(
    operation: string,
    path: string,
    scope: Scope,
    schema: Body,
    handle: (ctx: Context, input: Static<Body>) => Promise<string>,
  ) {
    const faultsOf = checker(schema);
    const order = [
      credential(authenticateToken, "invalid_api_token"), // 401
      limit, // 429
      (call: PeopleCall): undefined => {
        requireScope(call.caller, scope); // 403
      },
      serverRuns, // 503
      async (call: PeopleCall) => {
        const body = await readJson(edge, call.request, limits.ticketBodyBytes); // 400, 408
        const faults = faultsOf(body);
        if (faults.length > 0) throw new InvalidInput(faults);
        const text = await handle(await contextOf(call), body as Static<Body>).catch(refuseCursor); // 400, 401, 409, 503
        return answer(edge, 200, text, call.headers);
      },
    ];
    app.post(path, ({ request }) => answerPublic({ operation, order, log }, new PeopleCall(edge, request)), {
      parse: "none",
    });
  }
}

class PeopleCall extends PublicCall<AuthenticatedToken> {
  readonly at = this.edge.context.now();
}

const limit = requestLimit<PeopleCall>({
  policy: "token",
  limitOf: ({ caller }) => caller.requestsPerWindow,
  limiterOf: ({ edge }) => edge.limiters?.credential,
});

/** The audit log names the token, the request and its network. */
async function contextOf({ edge, caller, request, headers }: PeopleCall): Promise<Context> {
  const token = await edge.context.store.one<{ name: string }>(
    "select name from api_token where id = $1 and revoked_at is null",
    [caller.id],
  );
  if (!token) throw new Refusal("invalid_api_token");
  const requestId = edge.context.newId();
  headers["x-request-id"] = requestId;
  const network = edge.networkOf(request);
  const actor = { kind: "token", id: caller.id, name: token.name } as const;
  return { ...edge.context, actor, requestId, ...(network === undefined ? {} : { network }) };
}

function refuseCursor(error: unknown): never {
  if (!(error instanceof InvalidCursor)) throw error;
  throw new InvalidInput([fault("/cursor", "bad_value", "cursor is not one that an earlier page has given.")]);
}

/** The request log of a token has these requests too, without what they were about. */
function log({ edge, request, authenticated, caller, at }: PeopleCall, status: number, refused: Refused | undefined) {
  const networkOf = () => edge.networkOf(request);
  if (authenticated) {
    const code = refused ? { code: refused.code } : {};
    const ms = Math.max(0, edge.context.now() - at);
    edge.requestLog.add(caller.id, { at, status, replayed: false, mismatch: false, ms, ...code }, networkOf);
    return;
  }
  const presented = refused?.code === "invalid_api_token" ? bearerOf(request.headers) : undefined;
  if (presented !== undefined) edge.requestLog.refused(presented, networkOf);
}
