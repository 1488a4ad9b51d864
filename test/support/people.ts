import { createProject } from "../../server/boards/create-project.ts";
import type { NewFields } from "../../server/core/fields.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import type { TokenFields } from "../../server/credentials/token-fields.ts";
import { attachment, envelope, newSdkKey, received } from "./ingest.ts";
import type { Target } from "./targets.ts";
import type { Token } from "./tickets.ts";

export const ada = { by: "user.email", value: "ada@example.org" } as const;

export interface PeopleProject {
  projectId: string;
  /** A token that reaches this project alone, with the scopes for people. */
  token: Token;
}

/** A project with so many reports of {@link ada}, of which the first has an attachment, and with one of somebody else. */
export async function peopleProject(
  target: Target,
  reports = 2,
  input: Partial<NewFields<TokenFields>> = {},
): Promise<PeopleProject> {
  const { installation } = target;
  const { ctx } = installation;
  const { id: projectId } = await createProject({ ctx, input: { name: `People ${crypto.randomUUID()}` } });
  const { key } = await newSdkKey(installation, { projectId });
  const send = (user: object, ...attachments: ReturnType<typeof attachment>[]) =>
    received(target, { key, parts: [envelope({ reportId: crypto.randomUUID(), user }), ...attachments] });
  for (let i = 0; i < reports; i++) await send({ email: ada.value }, ...(i === 0 ? [attachment("bytes")] : []));
  await send({ id: "grace" });
  const scopes = ["people:read", "people:delete"] as const;
  const token = await createToken({
    ctx,
    input: { name: "Privacy", reach: [projectId], scopes: [...scopes], ...input },
  });
  return { projectId, token };
}

export function callPeople(
  { send }: Pick<Target, "send">,
  act: "find" | "export" | "delete",
  { token, body = ada, method = "POST" }: { token: string; body?: unknown; method?: string },
): Promise<Response> {
  return send(`/api/v1/people/${act}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
