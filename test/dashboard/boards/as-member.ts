import type { ErrorBody } from "../../../openapi/schema/errors.ts";
import { call } from "../../support/call.ts";
import { signIn } from "../../support/sign-in.ts";
import type { Target } from "../../support/targets.ts";

/** Makes calls as a page does for a signed-in member; an answer with another status fails the test. */
export async function asMember(target: Target, role: "admin" | "member" = "member") {
  const { id, cookie } = await signIn(target, role);
  async function send<T>(method: string, path: string, body: unknown, status = 200): Promise<T> {
    const answer = await call(target, method, `/internal${path}`, { cookie, body });
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }
  return {
    id,
    cookie,
    get: <T = ErrorBody>(path: string, status?: number) => send<T>("GET", path, undefined, status),
    post: <T = ErrorBody>(path: string, body: unknown, status?: number) => send<T>("POST", path, body, status),
    patch: <T = ErrorBody>(path: string, body: unknown, status?: number) => send<T>("PATCH", path, body, status),
    delete: <T = ErrorBody>(path: string, status?: number) => send<T>("DELETE", path, undefined, status),
  };
}

export const newOp = () => crypto.randomUUID();
