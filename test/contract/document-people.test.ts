import { operationOf } from "../support/documented.ts";
import { ada, callPeople, type PeopleProject, peopleProject } from "../support/people.ts";
import { RawRequest } from "../support/raw-request.ts";
import { describeOperations, type Scenario } from "../support/scenario.ts";
import { whileLocked, withoutTable } from "../support/storage.ts";
import type { Target } from "../support/targets.ts";

const operations = { findPerson: "find", exportPerson: "export", deletePerson: "delete" } as const;
type Id = keyof typeof operations;

const bodyOf = (id: Id) => (id === "deletePerson" ? { ...ada, reports: 2 } : ada);

async function call(target: Target, id: Id, more: object = {}, made?: PeopleProject): Promise<Response> {
  const { token } = made ?? (await peopleProject(target));
  return callPeople(target, operations[id], { token: token.token, body: { ...bodyOf(id), ...more } });
}

/** A project in which more reports have the value than calls over HTTP handle. */
async function crowded(target: Target): Promise<PeopleProject> {
  const made = await peopleProject(target, 0);
  await target.installation.ctx.store.write((tx) =>
    tx.run(
      `insert into event (id, project_id, key_id, digest, user_email, received_at, envelope_bytes, stored_bytes,
         delivery_count, repeat_count)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 20001)
       select cast($1 as text) || i, $2, '', '', $3, 0, 0, 0, 0, 0 from n`,
      [made.projectId, made.projectId, ada.value],
    ),
  );
  return made;
}

const answers: Record<Id, Scenario[]> = {
  findPerson: [
    {
      status: 200,
      example: "found",
      except: ["code", "bytes", "oldest", "newest"],
      provoke: (target) => call(target, "findPerson"),
    },
    {
      status: 409,
      example: "conflict",
      alone: true,
      provoke: async (target) => call(target, "findPerson", {}, await crowded(target)),
    },
  ],
  exportPerson: [
    { status: 200, example: "page", except: ["items"], provoke: (target) => call(target, "exportPerson") },
    {
      status: 409,
      example: "conflict",
      alone: true,
      provoke: async (target) => call(target, "exportPerson", {}, await crowded(target)),
    },
  ],
  deletePerson: [
    { status: 200, example: "all", provoke: (target) => call(target, "deletePerson") },
    { status: 409, example: "conflict", provoke: (target) => call(target, "deletePerson", { reports: 3 }) },
  ],
};

/** Answers that every call can get. */
function refusals(id: Id): Scenario[] {
  return [
    { status: 400, example: "invalid_input", provoke: (target) => call(target, id, { value: "" }) },
    {
      status: 401,
      example: "invalid_api_token",
      provoke: (target) => callPeople(target, operations[id], { token: "itk_wrong" }),
    },
    {
      status: 403,
      example: "insufficient_scope",
      provoke: async (target) => call(target, id, {}, await peopleProject(target, 0, { scopes: ["tickets:write"] })),
    },
    {
      status: 408,
      example: "request_timeout",
      async provoke(target) {
        const { token } = await peopleProject(target, 0);
        const request = new RawRequest(target, [
          `POST ${operationOf(id).path} HTTP/1.1`,
          "Host: a",
          `Authorization: Bearer ${token.token}`,
          "Content-Type: application/json",
          "Content-Length: 100",
        ]);
        return request.answer().finally(() => request.close());
      },
    },
    {
      status: 429,
      example: "rate_limit_exceeded",
      async provoke(target) {
        const made = await peopleProject(target, 0, { limit: 1 });
        await call(target, id, {}, made);
        return call(target, id, {}, made);
      },
    },
    {
      status: 500,
      example: "internal_error",
      alone: true,
      async provoke(target) {
        const made = await peopleProject(target);
        return withoutTable(target.installation, "attachment", () => call(target, id, {}, made));
      },
    },
    {
      status: 503,
      example: "service_unavailable",
      alone: true,
      async provoke(target) {
        const made = await peopleProject(target);
        return whileLocked(target.installation, () => call(target, id, {}, made));
      },
    },
  ];
}

describeOperations({
  findPerson: [...answers.findPerson, ...refusals("findPerson")],
  exportPerson: [...answers.exportPerson, ...refusals("exportPerson")],
  deletePerson: [...answers.deletePerson, ...refusals("deletePerson")],
});
