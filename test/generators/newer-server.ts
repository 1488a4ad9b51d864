/** Error codes that the document does not have. */
export const newCodes = { "error code": "board_archived", "warning code": "too_deep" } as const;

/** The answers of a later server, with the additions that are allowed within v1. */
export function startNewerServer() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/api/v1/tickets": async (request) => {
        const { boardId, title } = (await request.json()) as { boardId?: string; title: string };
        if (boardId)
          return answer(404, { error: newCodes["error code"], message: "The board is archived.", since: "2027" });
        const [id, projectId, board, columnId] = Array.from({ length: 4 }, () => crypto.randomUUID());
        const url = `https://intake.example.org/cards/${id}`;
        const ticket = { id, title, projectId, boardId: board, columnId, createdAt: new Date().toISOString(), url };
        return answer(201, { ...ticket, number: 7, labels: [{ name: "new" }] });
      },
      "/api/ingest": () => {
        const eventId = crypto.randomUUID();
        const warnings = [{ path: "/tags", code: newCodes["warning code"], message: "Not indexed." }];
        return answer(200, { status: "received", eventId, deliveryCount: 0, idempotent: false, warnings, shard: 3 });
      },
    },
  });
}

function answer(status: number, body: object): Response {
  return Response.json(body, { status, headers: { location: "/cards/1", "x-request-id": crypto.randomUUID() } });
}
