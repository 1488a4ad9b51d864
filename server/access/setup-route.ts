import { Elysia } from "elysia";
import { answer, answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { readJson, requireSameSite } from "../http/internal.ts";
import { operator, Refusal } from "./context.ts";
import { createOrganisation } from "./create-organisation.ts";
import type { SetupLink } from "./setup-link.ts";
import { setupPage } from "./setup-page.ts";

const route = "POST /internal/setup";
const atOnce = 64;
const bodyBytes = 16_384;

/** The first organisation by the setup link: whoever can read the server's terminal or data directory owns it. */
export function setupRoutes(edge: Edge, link: () => SetupLink | undefined) {
  let busy = 0;

  async function setUp(request: Request): Promise<Response> {
    requireSameSite(request);
    // Nobody's body is read unless a link is open, and a bounded number at once: 1 MiB in all.
    if (!link()?.open()) throw closed();
    if (busy >= atOnce) throw new Refusal("conflict", "Somebody is setting this installation up right now.");
    busy++;
    try {
      const body = (await readJson(edge, request, bodyBytes)) as Record<string, unknown> | null;
      const { secret, organisation, email, password } = body ?? {};
      if (![secret, organisation, email, password].every((member) => typeof member === "string")) {
        throw new Refusal("invalid_input", "secret, organisation, email and password are required strings");
      }
      const setupLink = link();
      if (!setupLink?.opensWith(secret as string)) throw closed();
      const made = await createOrganisation({
        ctx: { ...edge.context, actor: operator },
        input: { organisation: organisation as string, adminEmail: email as string, adminPassword: password as string },
      });
      setupLink.close();
      return answer(edge, 200, JSON.stringify(made));
    } finally {
      busy--;
    }
  }

  const app = new Elysia();
  app.get("/setup", () => setupPage(edge.context.newId()));
  app.post(
    "/internal/setup",
    async ({ request }) => {
      try {
        const response = await setUp(request);
        edge.answered(route, 200, "ok");
        return response;
      } catch (error) {
        const { response, code } = answerError(edge, route, error);
        edge.answered(route, response.status, code);
        return response;
      }
    },
    { parse: "none" },
  );
  return app;
}

function closed(): Refusal {
  return new Refusal(
    "permission_denied",
    "This setup link is used, too old or wrong. Start the server again for a new one.",
  );
}
