import { DeletePerson, ExportPerson, PersonQuery, personMembers } from "../../openapi/schema/people.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, oneOf } from "../http/internal-schema.ts";
import { deletePerson } from "./delete-person.ts";
import { exportPerson } from "./export-person.ts";
import { findPerson } from "./find-person.ts";
import type { PeopleTools } from "./person.ts";

/** The schemas of the API, with the choice in the form that the checker of these calls knows. */
const by = oneOf(personMembers);
const bodies = {
  find: closed({ ...PersonQuery.properties, by }),
  export: closed({ ...ExportPerson.properties, by }),
  delete: closed({ ...DeletePerson.properties, by }),
};

/** Routes of the page Settings, Personal data. The person stands in the body: addresses end up in logs of proxies. */
export function peopleRoutes(tools: PeopleTools) {
  return [
    internalRoute({
      method: "POST",
      path: "/internal/people/find",
      role: "admin",
      body: bodies.find,
      handle: ({ ctx, body }) => findPerson({ ctx, tools, input: body }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/people/export",
      role: "admin",
      sensitive: true,
      body: bodies.export,
      handle: ({ ctx, body }) => exportPerson({ ctx, tools, input: body }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/people/delete",
      role: "admin",
      sensitive: true,
      body: bodies.delete,
      handle: ({ ctx, body }) => deletePerson({ ctx, tools, input: body }),
    }),
  ] as const;
}
