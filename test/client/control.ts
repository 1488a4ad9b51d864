import { changeKey } from "../../server/credentials/change-key.ts";
import { readContents } from "../../server/envelope/report-contents.ts";
import { listEvents } from "../../server/ingest/list-events.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { serve } from "../support/binary.ts";
import { newSdkKey, shown, storedAttachment, storedEnvelope } from "../support/ingest.ts";
import { install } from "../support/installation.ts";
import { newToken } from "../support/tickets.ts";
import type { Result } from "./cases/env.ts";
import type { Step } from "./fault-script.ts";
import { type FaultServer, startFaultServer } from "./fault-server.ts";

interface Control {
  url: string;
  /** The address of the compiled binary. */
  intake: string;
  results: Promise<Result[]>;
  stop(): Promise<void>;
}

/**
 * The control server of one run of the scripts: fault servers, credentials, and what the compiled binary stored, whose
 * data it reads as the command line does. It also serves the files of the page, as the page's origin.
 */
export async function startControl(files: Record<string, string | Uint8Array>): Promise<Control> {
  const installation = await install();
  const { ctx, made } = installation;
  const intake = await serve(installation.folder);
  const faults = new Map<string, FaultServer>();
  const results = Promise.withResolvers<Result[]>();

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    routes: {
      "/faults": async (request) => {
        const fault = await startFaultServer((await request.json()) as Step[]);
        const id = crypto.randomUUID();
        faults.set(id, fault);
        return Response.json({ id, url: fault.url });
      },
      "/faults/:id": ({ params }) => Response.json(faults.get(params.id)?.record()),
      "/tokens": async (request) => {
        const input = (await request.json()) as Parameters<typeof newToken>[1];
        return Response.json({ ...(await newToken(installation, input)), projectId: made.project.id });
      },
      "/keys": async (request) => {
        const input = (await request.json()) as Parameters<typeof newSdkKey>[1];
        return Response.json(await newSdkKey(installation, input));
      },
      "/keys/:id/:change": async ({ params: { id, change } }) =>
        Response.json(await changeKey({ ctx, input: { id, change: change as "pause" } })),
      "/tickets/:id": async ({ params: { id } }) => Response.json(await showTicket({ ctx, input: { id } })),
      "/events": async () =>
        Response.json(await listEvents({ ctx, input: { projectId: made.project.id, limit: 200 } })),
      "/events/:id": async ({ params: { id } }) => {
        const { exceptions } = readContents(await storedEnvelope(installation, id));
        return Response.json({ ...(await shown(installation, id)), exceptions });
      },
      "/events/:id/envelope": async ({ params: { id } }) =>
        new Response(Uint8Array.from(await storedEnvelope(installation, id))),
      "/events/:id/attachments/:index": async ({ params: { id, index } }) =>
        new Response(Uint8Array.from(await storedAttachment(installation, id, Number(index)))),
      // The ticket API allows no other origin, so a page reaches it through its own, as behind a proxy.
      "/api/v1/*": (request) => fetch(intake.url + new URL(request.url).pathname, request),
      "/results": async (request) => {
        results.resolve((await request.json()) as Result[]);
        return Response.json({});
      },
    },
    fetch(request) {
      const name = new URL(request.url).pathname.slice(1);
      const file = files[name];
      if (file === undefined) return new Response(null, { status: 404 });
      const type = name.endsWith("html") ? "text/html" : "text/javascript";
      return new Response(file, { headers: { "content-type": type } });
    },
    error: (error) => new Response(`${error.stack}`, { status: 500 }),
  });

  return {
    url: server.url.origin,
    intake: intake.url,
    results: results.promise,
    async stop() {
      await server.stop(true);
      for (const fault of faults.values()) fault.close();
      await intake.stop();
      await installation.remove();
    },
  };
}
