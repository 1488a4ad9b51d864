import type { Installation } from "../intake.ts";
import { startServer } from "../server-process.ts";

/** Starts the server, stores the ticket that the table is filled after, and stops. */
export async function storeOne({ serve, log, token }: Pick<Installation, "serve" | "log" | "token">) {
  const { url, stop } = await startServer(serve(0), log);
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "pattern" },
    body: JSON.stringify({
      title: "Nightly build failed on main",
      description: "The job build-linux failed in step test after 312 seconds. See the log of run 4711 for the trace.",
      priority: "high",
    }),
  });
  if (response.status !== 201) throw new Error(`a ticket was answered ${response.status}: ${await response.text()}`);
  await stop();
}
