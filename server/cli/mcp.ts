import { requireUrl } from "../core/settings.ts";
import { command } from "./command.ts";
import { checked, fallback } from "./options.ts";
import { tokenFromEnvironment } from "./token-from-environment.ts";

export const mcpCommand = command({
  name: "mcp",
  summary: "let an AI assistant create tickets: a Model Context Protocol server on stdin and stdout",
  options: {
    url: fallback(checked("U", "where Intake answers", requireUrl, { env: "INTAKE_URL" }), "http://127.0.0.1:3000"),
  },
  notes:
    "The assistant's program starts it. The API token is read from INTAKE_TOKEN, or from the file that INTAKE_TOKEN_FILE names; never from a flag. A server also answers the same protocol at /mcp.",
  example: "INTAKE_URL=https://intake.example.org INTAKE_TOKEN_FILE=token intake mcp",
  async run({ options: { url } }) {
    const token = tokenFromEnvironment();
    const { serveMcp } = await import("../mcp/serve-stdio.ts");
    await serveMcp({ url, token });
  },
});
