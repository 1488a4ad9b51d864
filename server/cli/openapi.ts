import { readDocument } from "../openapi/documents.ts";
import { command } from "./command.ts";
import { flag } from "./options.ts";

export const openapiCommand = command({
  name: "openapi",
  summary: "print the OpenAPI document, for tools that generate clients",
  options: { "3.0": flag("OpenAPI 3.0.3 instead of 3.1.1, for tools that know no later one") },
  example: "intake openapi > openapi.json",
  notes:
    "Needs neither a server nor a data directory. A running server answers with the same documents at /openapi.json and /openapi.3.0.json, with its own addresses in them.",
  async run({ options }) {
    process.stdout.write(await readDocument(options["3.0"] ? "older" : "latest"));
  },
});
