import type { TSchema } from "@sinclair/typebox";
import { reference, type Schema } from "../model/openapi.ts";
import { reportFaultCodes, ticketFaultCodes } from "../schema/errors.ts";
import { AttachmentReference, Envelope, envelopePart, Received, Warning } from "../schema/ingest.ts";
import { limits } from "../schema/limits.ts";
import {
  DeletedPerson,
  DeletePerson,
  ExportPerson,
  FoundPerson,
  PersonQuery,
  PersonReport,
  PersonReports,
} from "../schema/people.ts";
import {
  AppendRunLog,
  ClaimedRun,
  ClaimRun,
  CompletedRun,
  CompleteRun,
  Run,
  RunHeartbeat,
  RunLease,
  RunLog,
  RunRepository,
  RunTicket,
} from "../schema/runner.ts";
import { CreateTicket, Ticket } from "../schema/ticket.ts";
import { errorSchemas } from "./error-schemas.ts";

const named = new Map<TSchema, string>([
  [CreateTicket, "CreateTicket"],
  [Ticket, "Ticket"],
  [Envelope, "ReportEnvelope"],
  [AttachmentReference, "AttachmentReference"],
  [Received, "Received"],
  [Warning, "ReportWarning"],
  [ClaimRun, "ClaimRun"],
  [ClaimedRun, "ClaimedRun"],
  [Run, "Run"],
  [RunTicket, "RunTicket"],
  [RunRepository, "RunRepository"],
  // `Type.Optional` copies a schema, so the copy has to be named too.
  [ClaimedRun.properties.repository, "RunRepository"],
  [RunHeartbeat, "RunHeartbeat"],
  [RunLease, "RunLease"],
  [AppendRunLog, "AppendRunLog"],
  [RunLog, "RunLog"],
  [CompleteRun, "CompleteRun"],
  [CompletedRun, "CompletedRun"],
  [PersonQuery, "PersonQuery"],
  [FoundPerson, "FoundPerson"],
  [ExportPerson, "ExportPerson"],
  [PersonReport, "PersonReport"],
  [PersonReports, "PersonReports"],
  [DeletePerson, "DeletePerson"],
  [DeletedPerson, "DeletedPerson"],
]);

/** Every schema of the documents by its name. */
export function schemas(): Record<string, Schema> {
  return {
    ...Object.fromEntries([...named].map(([schema, name]) => [name, members(schema)])),
    ...errorSchemas(),
    Liveness: status("live", "The process answers."),
    Readiness: status("ready", "The server takes work."),
    NotReady: {
      ...status("not ready", "The server takes no work."),
      required: ["status", "reason"],
      properties: {
        status: { type: "string", enum: ["not ready"], description: "Always not ready." },
        reason: { type: "string", description: "Why not, in words." },
      },
    },
    Report: report(),
    ReportEnvelopeSchema: envelopeSchema(),
    ReportFault: fault(reportFaultCodes, "What is wrong with the form of a report."),
    PersonFault: fault(ticketFaultCodes, "What is wrong with one member of a call about a person."),
    RunnerFault: fault(ticketFaultCodes, "What is wrong with one member of what a runner sent."),
    TicketFault: fault(ticketFaultCodes, "What is wrong with one member of the body."),
  };
}

/** A copy of a schema in which schemas with a name of their own are references. */
function members(schema: unknown): Schema {
  return Object.fromEntries(Object.entries(schema as object).map(([name, value]) => [name, withReferences(value)]));
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== "object" || value === null) return value;
  const name = named.get(value as TSchema);
  return name === undefined ? members(value) : reference(name);
}

function status(value: string, description: string): Schema {
  return {
    type: "object",
    description,
    required: ["status"],
    properties: { status: { type: "string", enum: [value], description: `Always ${value}.` } },
    additionalProperties: true,
  };
}

/** Binary parts by name: lists of files, and parts that are JSON for the tool, are what generated clients get wrong. */
function report(): Schema {
  const attachments = Array.from({ length: limits.parts - 1 }, (_, i) => [
    `attachment_${i}`,
    { type: "string", format: "binary", description: "Any file, with a file name. The envelope may say what it is." },
  ]);
  return {
    type: "object",
    description: `A report as a form: the envelope and up to ${limits.parts - 1} attachments, each with a file name.`,
    required: [envelopePart],
    properties: {
      [envelopePart]: {
        type: "string",
        format: "binary",
        description: "The envelope (ReportEnvelope) as JSON, plain or packed by gzip, with a file name.",
      },
      ...Object.fromEntries(attachments),
    },
    additionalProperties: false,
  };
}

function envelopeSchema(): Schema {
  return {
    type: "object",
    description: "ReportEnvelope as a JSON Schema (draft 2020-12) that stands by itself.",
    required: ["type", "examples"],
    properties: {
      type: { type: "string", enum: ["object"], description: "An envelope is an object." },
      examples: { type: "array", items: reference("ReportEnvelope"), description: "Envelopes as apps send them." },
    },
    additionalProperties: true,
  };
}

function fault(codes: readonly string[], description: string): Schema {
  return {
    type: "object",
    description,
    required: ["path", "code", "message"],
    properties: {
      path: { type: "string", description: "JSON pointer (RFC 6901) to the member; empty for the whole body." },
      code: { type: "string", enum: [...codes], description: "What is wrong." },
      message: { type: "string", description: "The same in words." },
    },
    additionalProperties: true,
  };
}
