import { call } from "../../support/call.ts";
import type { Target } from "../../support/targets.ts";

interface InternalAnswer {
  status: number;
  [member: string]: unknown;
}

/** Makes a call of a page; returns the answer's members with its status. */
export async function callInternal(
  target: Pick<Target, "send">,
  cookie: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<InternalAnswer> {
  const answer = await call(target, method, path, { cookie, body });
  return { ...answer.body, status: answer.status };
}
