import type { Generator, Lack } from "./generator.ts";
import { go, java, python, typescript } from "./programs.ts";
import { npmTool, oapiCodegen, openapiGenerator, openapiPythonClient } from "./tools.ts";
import { npmVersion } from "./versions.ts";

const javaApis = "client/src/main/java/org/openapitools/client/api";

/** All generators read the document of OpenAPI 3.1. */
export const generators: readonly Generator[] = [
  {
    ...npmTool("openapi-typescript", "bin/cli.js", [
      ...["openapi.json", "--default-non-nullable=false", "--output", "client/schema.d.ts"],
    ]),
    ...typescript("openapi-fetch"),
    version: `${npmVersion("openapi-typescript")} with openapi-fetch ${npmVersion("openapi-fetch")}`,
    settings: "`createClient<paths>({ baseUrl, headers: { Authorization } })`",
    contentType: "as set",
    lacks: [
      {
        what: "A file has the type `string`.",
        instead: "Cast the `File` to it, and make the form in a `bodySerializer`.",
        proof: has("client/schema.d.ts", /^\s+envelope: string;$/m),
      },
      {
        what: "It knows of no credentials.",
        instead: "Set the header `Authorization` of the client.",
        proof: hasNot("client/schema.d.ts", /apiToken/),
      },
    ],
  },
  {
    ...npmTool("@hey-api/openapi-ts", "bin/run.js", ["--input", "openapi.json", "--output", "client"]),
    ...typescript("hey-api"),
    settings: "`createClient({ baseUrl, auth })`, given to each call as `client`",
    contentType: "as set",
    lacks: [],
  },
  {
    ...npmTool("orval", "dist/bin/orval.mjs", ["--config", "orval.config.mjs"]),
    ...typescript("orval", ["orval.config.mjs", "orval-fetch.ts"]),
    settings: "a function that sends, named as `mutator` in the configuration",
    contentType: "as set",
    lacks: [
      {
        what: "It knows of no address and no credentials.",
        instead: "Let a `mutator` send, which adds both.",
        proof: hasNot("client/intake.ts", /apiToken|["'`]https?:/),
      },
    ],
  },
  {
    ...openapiGenerator("typescript-fetch"),
    ...typescript("typescript-fetch"),
    settings: "`new Configuration({ basePath, accessToken })`",
    contentType: "as set",
    lacks: [
      {
        what: "An error is a `ResponseError` that has only the response.",
        instead: "Read its body with the function of the status, such as `CreateTicketNotFoundFromJSON`.",
        proof: hasNot("client/apis/TicketsApi.ts", /NotFoundFromJSON\(/),
      },
    ],
  },
  {
    ...openapiGenerator("python"),
    ...python("openapi_generator"),
    settings: "`Configuration(host, access_token, ignore_operation_servers=True)`",
    contentType: "guessed from the file name",
    stumbles: {
      over: ["error code", "warning code"],
      instead: "The server has answered: read the answer with `create_ticket_without_preload_content` and its like.",
    },
    lacks: [
      operationServers(
        "client/openapi_client/api/reports_api.py",
        /_hosts = \[\s+'/,
        "Set `ignore_operation_servers=True`.",
      ),
      {
        what: "The headers of an answer are a plain `dict`, with the names as they were sent.",
        instead: "Make an `HTTPHeaderDict` of them.",
        proof: has("client/openapi_client/api_response.py", /headers: Optional\[Mapping\[/),
      },
    ],
  },
  {
    ...openapiPythonClient([
      ...["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "client/intake_client"],
    ]),
    ...python("openapi_python_client"),
    settings: "`AuthenticatedClient(base_url, token)`",
    contentType: "as set",
    stumbles: {
      over: ["error code", "warning code"],
      instead: "The server has answered: read the answer yourself, as the program does with reports.",
    },
    lacks: [
      {
        what: "The boundary between the parts is always `+++`: a file with such a line in it breaks the form.",
        instead: "Take the header `Content-Type` out of the request, as the program does; httpx then sets its own.",
        proof: has("client/intake_client/api/reports/submit_report.py", /boundary=\+\+\+"/),
      },
    ],
  },
  {
    ...openapiGenerator("go", ["--additional-properties=packageName=client,withGoMod=false"]),
    ...go("openapi_generator_go"),
    settings: "`Servers` of the configuration, and `ContextAccessToken` in the context",
    contentType: "always `application/octet-stream`",
    lacks: [
      operationServers("client/configuration.go", /OperationServers: map\S+\{\s+"/, "Set `OperationServers` to nil."),
      {
        what: "A file has to be an `*os.File`.",
        instead: "Write what is in memory to a temporary file.",
        proof: has("client/api_reports.go", /Envelope\(envelope \*os\.File\)/),
      },
      {
        what: "An empty file is left out.",
        instead: "Nothing helps; the rest of the report arrives.",
        proof: async ({ attachmentsOf }) => (await attachmentsOf(new Uint8Array())) === 0,
      },
    ],
  },
  {
    ...oapiCodegen(["-generate", "types,client", "-package", "client", "-o", "client/client.go", "openapi.json"]),
    ...go("oapi_codegen"),
    settings: "`NewClientWithResponses(url, WithRequestEditorFn(…))`",
    contentType: "as set",
    lacks: [
      {
        what: "It makes no form: `SubmitReportWithBody` takes the bytes of one.",
        instead: "Write it with `mime/multipart`.",
        proof: hasNot("client/client.go", /SubmitReportWithResponse\(/),
      },
      {
        what: "It knows of no credentials.",
        instead: "Set the header `Authorization` in a `RequestEditorFn`.",
        proof: hasNot("client/client.go", /"Authorization"/),
      },
    ],
  },
  {
    // Without the option a client throws when it receives an unknown code.
    ...openapiGenerator("java", ["--additional-properties=enumUnknownDefaultCase=true"]),
    ...java("java"),
    settings: "`setCustomBaseUrl` of each API, and the `HttpBearerAuth` of the client",
    contentType: "guessed from the file name",
    lacks: [
      operationServers(
        `${javaApis}/ReportsApi.java`,
        /localBasePaths = new String\[\] \{ "/,
        "Set `setCustomBaseUrl` of each API.",
      ),
      {
        what: "An error is an `ApiException` that has the body as text.",
        instead: "Read `error` from it as JSON.",
        proof: hasNot(`${javaApis}/TicketsApi.java`, /CreateTicketNotFound\b(?!;)/),
      },
      {
        what: "A file has to be a `java.io.File`.",
        instead: "Write what is in memory to a temporary file.",
        proof: has(`${javaApis}/ReportsApi.java`, / submitReport\(\S+ File envelope,/),
      },
    ],
  },
];

/** The client prefers the servers of single operations to the server that is set. */
function operationServers(path: string, pattern: RegExp, instead: string): Lack {
  return {
    what: "The servers that the document names for single operations go before the one that is set.",
    instead,
    proof: has(path, pattern),
  };
}

function has(path: string, pattern: RegExp): Lack["proof"] {
  return ({ client }) => pattern.test(client.read(path));
}

function hasNot(path: string, pattern: RegExp): Lack["proof"] {
  return ({ client }) => !pattern.test(client.read(path));
}
