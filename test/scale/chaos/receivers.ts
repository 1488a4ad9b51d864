const delayMilliseconds = 30;

/** An address that webhooks go to. */
export interface WebhookReceiver {
  name: string;
  url: string;
  /** How often each message came. */
  came: Map<string, number>;
  close(): void;
}

interface Message {
  data: { attachments: { url: string }[] };
}

/** Paths of attachments by their event, as messages tell them. */
export type AttachmentPaths = Map<string, string[]>;

/** Three receivers: one that answers at once, a slow one, and one that refuses every fourth message. */
export function startReceivers(paths: AttachmentPaths): WebhookReceiver[] {
  let requests = 0;
  return [
    receiver("quick", () => undefined),
    receiver("slow", async () => {
      await Bun.sleep(Math.random() * delayMilliseconds);
      return undefined;
    }),
    receiver("refusing", () => (++requests % 4 === 0 ? new Response("No", { status: 500 }) : undefined)),
  ];

  function receiver(name: string, refuse: () => Promise<Response | undefined> | Response | undefined): WebhookReceiver {
    const came = new Map<string, number>();
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const id = request.headers.get("webhook-id") ?? "";
        const { data } = (await request.json()) as Message;
        came.set(id, (came.get(id) ?? 0) + 1);
        if (data.attachments.length > 0) {
          const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
          paths.set(id, data.attachments.map(pathOf));
        }
        return (await refuse()) ?? new Response(null, { status: 204 });
      },
    });
    return { name, url: `${server.url}hook`, came, close: () => void server.stop(true) };
  }
}
