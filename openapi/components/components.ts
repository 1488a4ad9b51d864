import type { Components } from "../model/openapi.ts";
import { limits } from "../schema/limits.ts";
import { headers } from "./headers.ts";
import { schemas } from "./schemas.ts";

/** `pathItems` are what webhooks refer to. */
export function components(pathItems: NonNullable<Components["pathItems"]>): Components {
  return {
    schemas: schemas(),
    headers,
    parameters: {
      IdempotencyKey: {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description:
          "Makes a repeat safe: with a key that this token has used before, the answer is the first ticket, unchanged, and nothing is created. Keys never expire. Blanks around it are not part of it; it is sent as it is, without quotes.",
        schema: { type: "string", minLength: limits.idempotencyKeyMin, maxLength: limits.idempotencyKeyMax },
        example: "build-7312",
      },
      RunId: {
        name: "id",
        in: "path",
        required: true,
        description: "The run, as the claim says.",
        schema: { type: "string", format: "uuid" },
        example: "019a9c1e-7a10-7c55-9d02-1f2e3d4c5b6a",
      },
    },
    pathItems,
    securitySchemes: {
      apiToken: {
        type: "http",
        scheme: "bearer",
        description:
          "An API token (itk_…) creates tickets and, with the scope runs:execute, executes agent runs, or, with people:read and people:delete, handles a person's data. It belongs in the secrets of a CI or a server, never in an app or a page. An admin creates and revokes it in the dashboard or on the command line.",
      },
      sdkKey: {
        type: "http",
        scheme: "bearer",
        description:
          "An SDK key (isk_…) ships inside apps. It can submit reports and nothing else: it reads and changes nothing.",
      },
    },
  };
}
