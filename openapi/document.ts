import { license, version } from "../package.json";
import { components } from "./components/components.ts";
import { servers } from "./components/servers.ts";
import type { Document } from "./model/openapi.ts";
import { createTicket } from "./operations/create-ticket.ts";
import { getLiveness, getReadiness } from "./operations/health.ts";
import { deletePerson, exportPerson, findPerson } from "./operations/people.ts";
import { getReportEnvelopeSchema } from "./operations/report-envelope-schema.ts";
import { appendRunLog, claimRun, completeRun, heartbeatRun } from "./operations/runner.ts";
import { submitReport } from "./operations/submit-report.ts";
import { pathItems, webhooks } from "./operations/webhooks.ts";

/** The OpenAPI 3.1 document, made of the schemas, the list of errors and the limits that the server uses too. */
export function document(): Document {
  return {
    openapi: "3.1.1",
    info: {
      title: "Intake",
      version,
      summary: "Tickets from CI jobs, reports from apps",
      description,
      contact: { name: "Intake" },
      license: { name: license, url: `https://spdx.org/licenses/${license}.html` },
    },
    tags: [
      { name: "Tickets", description: "For CI jobs, scripts and bots: create a card on a board." },
      { name: "Reports", description: "For apps: submit a report with attachments." },
      {
        name: "Runner",
        description: "For machines that execute agent runs: claim one, send heartbeats and its log, complete it.",
      },
      {
        name: "People",
        description: "For those who answer for personal data: find, export and delete what reports have of a person.",
      },
      { name: "Webhooks", description: "To subscribers: what they are told, signed as Standard Webhooks 1.0 has it." },
      { name: "Health", description: "For whatever runs the server." },
    ],
    servers: servers(),
    paths: {
      "/api/v1/tickets": { post: createTicket },
      "/api/ingest": { post: submitReport },
      "/api/v1/people/find": { post: findPerson },
      "/api/v1/people/export": { post: exportPerson },
      "/api/v1/people/delete": { post: deletePerson },
      "/runner/v1/claim": { post: claimRun },
      "/runner/v1/runs/{id}/heartbeat": { post: heartbeatRun },
      "/runner/v1/runs/{id}/log": { post: appendRunLog },
      "/runner/v1/runs/{id}/complete": { post: completeRun },
      "/report-envelope.schema.json": { get: getReportEnvelopeSchema },
      "/livez": { get: getLiveness },
      "/readyz": { get: getReadiness },
    },
    webhooks,
    components: components(pathItems()),
  };
}

const description = [
  "Intake takes in work from two sides: tickets from CI jobs, scripts and bots, and reports from apps. An answer of success comes when what was sent is on disk.",
  "Two kinds of credentials, not interchangeable: an API token creates tickets, or executes agent runs, and stays secret; an SDK key ships inside apps and can only submit reports.",
  "Within v1 members may be added to requests and answers, and nothing documented is removed or changes its meaning. Be tolerant of members and error codes that you do not know.",
  "Every error is JSON with a code in `error`. An address that is not named here is 404 `not_found`, another method 405 `method_not_allowed` with `Allow`. A path is compared as it is written: with a slash at the end it is another one. Headers of more than 16 KiB are 431 without a body. Send no request trailers: the request is carried out, but the answer is a 400 without a body.",
].join("\n\n");
