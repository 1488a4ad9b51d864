/** Answers every call at once and stores nothing: what is measured is the caller. */
const id = "0198c0de-0000-7000-8000-000000000001";
const ticket = {
  id,
  title: "t",
  projectId: id,
  boardId: id,
  columnId: id,
  createdAt: new Date().toISOString(),
  url: "x",
};
const received = { status: "received", eventId: id, deliveryCount: 0, idempotent: false };

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await request.arrayBuffer();
    return request.url.endsWith("/tickets") ? Response.json(ticket, { status: 201 }) : Response.json(received);
  },
});
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
