import { messages } from "../examples/webhooks.ts";
import type { Operation, Parameter, Reference, Schema } from "../model/openapi.ts";
import {
  AgentRunUpdated,
  AuditRecorded,
  NoticeCleared,
  NoticeRaised,
  ReportReceived,
  WebhookTest,
} from "../schema/webhooks.ts";

/**
 * The messages that subscribers receive, by `type`. Some generators write broken clients when webhooks are written in
 * place, or when schemas have names that no operation uses: so webhooks are references, and their schemas have no
 * names.
 */
export const webhooks: Record<string, Reference> = {
  "report.received": { $ref: "#/components/pathItems/ReportReceived" },
  "webhook.test": { $ref: "#/components/pathItems/WebhookTest" },
  "agent_run.updated": { $ref: "#/components/pathItems/AgentRunUpdated" },
  "audit.recorded": { $ref: "#/components/pathItems/AuditRecorded" },
  "notice.raised": { $ref: "#/components/pathItems/NoticeRaised" },
  "notice.cleared": { $ref: "#/components/pathItems/NoticeCleared" },
};

const schemas = { ReportReceived, WebhookTest, AgentRunUpdated, AuditRecorded, NoticeRaised, NoticeCleared };

/** The path items that these webhooks refer to. */
export function pathItems(): Record<keyof typeof schemas, { post: Operation }> {
  return {
    ReportReceived: webhook(
      "ReportReceived",
      "A report was received",
      "Sent to the subscribers of the report's project, unless they name other types of reports. At least once: a repeat has the same webhook-id. The order is not promised.",
    ),
    WebhookTest: webhook(
      "WebhookTest",
      "A subscriber is tried",
      "Sent once when somebody tries a subscriber, whatever types of messages it names.",
    ),
    AgentRunUpdated: webhook(
      "AgentRunUpdated",
      "An agent run has changed",
      "For subscribers that name the type: sent whenever a run has changed after it was queued. The order is not promised: attempt, state and timestamp tell which is newer.",
    ),
    AuditRecorded: webhook(
      "AuditRecorded",
      "An entry was written to the audit log",
      "For subscribers of every project that name the type. The order is not promised: the entry's id tells which is newer.",
    ),
    NoticeRaised: webhook(
      "NoticeRaised",
      "A notice was raised",
      "For subscribers that name the type: of every project, or of the notice's project. Of the same thing there is at most one message an hour, raised or cleared.",
    ),
    NoticeCleared: webhook(
      "NoticeCleared",
      "The cause of a notice is gone",
      "For subscribers that name the type, up to an hour after the cause was gone. What comes back within that time is not told.",
    ),
  };
}

function webhook(name: keyof typeof schemas, summary: string, description: string): { post: Operation } {
  return {
    post: {
      operationId: `on${name}`,
      summary,
      description,
      tags: ["Webhooks"],
      security: [],
      parameters,
      requestBody: {
        required: true,
        description: "The message. Members may be added.",
        content: {
          "application/json": {
            schema: schemas[name] as Schema,
            examples: { message: { summary, value: messages[name] } },
          },
        },
      },
      responses: {
        "2XX": { description: "The message is accepted." },
        410: { description: "Nothing more is wanted: the subscriber is disabled." },
        429: { description: "Later, please. Retry-After is obeyed up to 24 hours; it is on 503 too." },
        default: { description: "The message comes again, up to ten times in three days." },
      },
    },
  };
}

const parameters: Parameter[] = [
  header("webhook-id", "The message's id, the same at every attempt.", "019a9c1e-6d04-7d21-9e66-8c4fbf02f2a5"),
  header("webhook-timestamp", "When this attempt was made, in seconds since 1970.", "1795264200"),
  header(
    "webhook-signature",
    "Proves that the message comes from here: v1, a comma and the base64 of the HMAC-SHA256 of webhook-id, webhook-timestamp and the body with dots between, by the bytes whose base64 stands after whsec_ in the secret. For 24 hours after the secret was rotated there are two, with a blank between.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

function header(name: string, description: string, example: string): Parameter {
  return { name, in: "header", required: true, description, schema: { type: "string" }, example };
}
