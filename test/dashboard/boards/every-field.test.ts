import { beforeAll, expect, test } from "bun:test";
import type { Ticket } from "../../../openapi/schema/ticket.ts";
import {
  answeredFields,
  fieldEntries,
  fieldNames,
  listedFields,
  plainFields,
  type TicketField,
  ticketFields,
} from "../../../openapi/schema/ticket-fields.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { listTickets } from "../../../server/tickets/list.ts";
import { showTicket } from "../../../server/tickets/show.ts";
import type { CardDetail } from "../../../server/tickets/show-card.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken, post } from "../../support/tickets.ts";
import { asMember, newOp } from "./as-member.ts";

type Fields = Record<string, unknown>;
const pick = (fields: Fields, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
const examples = Object.fromEntries(fieldEntries.map(([name, { example }]) => [name, example]));
/** The value of a field that was not given. */
const absent = Object.fromEntries(
  plainFields.map((name) => [name, (ticketFields[name] as TicketField).schema.default ?? null]),
);

describeTargets("every field of a ticket, as its declaration says", (target) => {
  let member: Awaited<ReturnType<typeof asMember>>;
  let place: { projectId: string; boardId: string; columnId: string };

  beforeAll(async () => {
    member = await asMember(target());
    const { project, board, columns } = target().installation.made;
    place = { projectId: project.id, boardId: board.id, columnId: columns[0]?.id ?? "" };
  });

  async function create(body: Fields): Promise<Ticket> {
    const { token } = await newToken(target().installation);
    const response = await post(target(), { token, body });
    expect(response.status).toBe(201);
    return (await response.json()) as Ticket;
  }
  const shown = async (id: string) => ({ ...(await showTicket({ ctx: target().installation.ctx, input: { id } })) });

  test("arrives by the API, and is answered, shown, listed and on its card", async () => {
    const given = { ...examples, ...place };
    const answer = await create(given);
    expect(Object.keys(answer)).toEqual(["id", ...answeredFields, "createdAt", "url"]);
    expect(pick({ ...answer }, answeredFields)).toEqual(pick(given, answeredFields));
    expect(pick(await shown(answer.id), fieldNames)).toEqual(given);
    const { items } = await listTickets({ ctx: target().installation.ctx, input: { limit: 200 } });
    const listed = items.find(({ id }) => id === answer.id);
    expect(pick({ ...listed }, listedFields)).toEqual(pick(given, listedFields));
    const card = await member.get<CardDetail>(`/cards/${answer.id}`);
    expect(pick({ ...card }, plainFields)).toEqual(pick(given, plainFields));
  });

  test("may be left out", async () => {
    const { id } = await create({ title: "Only a title" });
    expect(pick(await shown(id), plainFields)).toEqual(absent);
  });

  test("is given to a card on the page, changed there, and taken from it again", async () => {
    const fields = pick(examples, plainFields);
    const made = await member.post<CardSummary>("/cards", {
      op: newOp(),
      columnId: place.columnId,
      title: "A card",
      ...fields,
    });
    expect(pick({ ...made }, plainFields)).toEqual(fields);
    const cleared = await member.patch<CardDetail>(`/cards/${made.id}`, absent);
    expect(pick({ ...cleared }, plainFields)).toEqual(absent);
    await member.patch(`/cards/${made.id}`, fields);
    expect(pick(await shown(made.id), plainFields)).toEqual(fields);
    const { activity } = await member.get<CardDetail>(`/cards/${made.id}`);
    const edits = activity.slice(0, plainFields.length).map(({ detail }) => detail);
    expect(edits.toReversed()).toEqual(
      plainFields.map((field) => ({ field, from: absent[field], to: fields[field] })) as typeof edits,
    );
  });
});
