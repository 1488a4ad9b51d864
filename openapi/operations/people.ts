import { headerReferences } from "../components/headers.ts";
import {
  deleteAnswers,
  deleteRequests,
  exportAnswers,
  exportRequests,
  findAnswers,
  findRequests,
  invalidPerson,
  otherCount,
  tooManyReports,
} from "../examples/people.ts";
import { type Example, type Operation, reference } from "../model/openapi.ts";
import { limits } from "../schema/limits.ts";
import { type OperationId, operationScopes } from "../schema/operations.ts";
import { limited, refusals } from "./refusals.ts";

export const findPerson: Operation = operation("findPerson", {
  summary: "Find a person's reports",
  description: "Counts the reports that name the person in user.id or user.email, and what belongs to them.",
  request: { schema: "PersonQuery", examples: findRequests },
  answer: { schema: "FoundPerson", description: "What there is.", examples: findAnswers },
  conflict: tooManyReports,
});

export const exportPerson: Operation = operation("exportPerson", {
  summary: "Export a person's reports",
  description:
    "Reads the reports of the person page by page: call again with the cursor in next until it is null. A page has up to 100 reports, fewer where envelopes are large.",
  request: { schema: "ExportPerson", examples: exportRequests },
  answer: { schema: "PersonReports", description: "A page of reports.", examples: exportAnswers },
  conflict: tooManyReports,
});

export const deletePerson: Operation = operation("deletePerson", {
  summary: "Delete a person's reports",
  description:
    "Deletes the reports of the person for good, with attachments and deliveries, up to 500 in a call: call again with left as reports until it is 0. A report that is sent again is recognised as a repeat and not stored.",
  request: { schema: "DeletePerson", examples: deleteRequests },
  answer: { schema: "DeletedPerson", description: "What was deleted.", examples: deleteAnswers },
  conflict: otherCount,
});

interface OperationParts {
  summary: string;
  description: string;
  request: { schema: string; examples: Record<string, Example> };
  answer: { schema: string; description: string; examples: Record<string, Example> };
  conflict: Example;
}

function operation(id: OperationId, { summary, description, request, answer, conflict }: OperationParts): Operation {
  const order = `Needs the scope ${operationScopes[id]}. Only reports of projects within the token's reach count. Each call is an entry of the audit log, of an export its first one; the entry has a code in place of the person. Requests count against the token's limit.`;
  return {
    operationId: id,
    summary,
    description: [description, order].join("\n\n"),
    tags: ["People"],
    security: [{ apiToken: [] }],
    requestBody: {
      required: true,
      description: `In UTF-8. A member that is not known is an error. At most ${limits.ticketBodyBytes.toLocaleString("en")} bytes.`,
      content: { "application/json": { schema: reference(request.schema), examples: request.examples } },
    },
    responses: {
      200: {
        description: answer.description,
        headers: headerReferences(limited),
        content: { "application/json": { schema: reference(answer.schema), examples: answer.examples } },
      },
      ...refusals(id, { invalid_input: { invalid_input: invalidPerson }, conflict: { conflict } }),
    },
  };
}
