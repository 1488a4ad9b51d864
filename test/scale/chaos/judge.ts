import { until } from "../../support/until.ts";
import { type Clients, limitedRequests } from "./clients.ts";
import type { Deployment, Process } from "./deployment.ts";
import type { Admitted, Ledger } from "./ledger.ts";
import type { AttachmentPaths, WebhookReceiver } from "./receivers.ts";

interface Evidence {
  deployment: Deployment;
  ledger: Ledger;
  clients: Clients;
  receivers: readonly WebhookReceiver[];
  paths: AttachmentPaths;
}

interface Judged {
  tickets: number;
  reports: number;
  attachments: number;
  deliveries: number;
  /** Acknowledged, and not there or not as it was. */
  lost: number;
  /** There more than once. */
  doubled: number;
}

const deliveredSeconds = 120;
/** How many tickets and reports are sent once more to every process. */
const [replayedTickets, replayedReports] = [1_000, 200];
const atOnce = 16;
const windowMilliseconds = 60_000;

/** Looks for everything that was acknowledged, and notes in the ledger what is missing, double or otherwise wrong. */
export async function judge(evidence: Evidence): Promise<Judged> {
  const { deployment, ledger } = evidence;
  judgeProcesses(deployment.processes, ledger);
  const tickets = await judgeTickets(evidence);
  const reports = await judgeReports(evidence);
  const attachments = await judgeAttachments(evidence);
  await judgeReplays(evidence);
  const deliveries = await judgeDeliveries(evidence);
  await judgeSums(evidence);
  return {
    tickets: tickets.sent,
    reports: reports.sent,
    attachments: attachments.sent,
    deliveries: deliveries.sent,
    lost: tickets.lost + reports.lost + attachments.lost + deliveries.lost,
    doubled: tickets.doubled + reports.doubled + deliveries.doubled,
  };
}

function judgeProcesses(processes: readonly Process[], ledger: Ledger) {
  for (const { name, server } of processes) {
    if (server.process.exitCode !== null) ledger.fault(`${name} ended by itself with ${server.process.exitCode}`);
    const grave = server.stderr().match(/^.*"level":"(error|fatal)".*$/m);
    if (grave) ledger.fault(`${name} has logged an error`, grave[0].slice(0, 500));
  }
}

async function judgeTickets({ deployment, ledger }: Evidence) {
  const rows = await deployment.rows<{ id: string; key: string | null }>(
    "select id, idempotency_key as key from ticket",
  );
  const bound = await deployment.rows<{ id: string; key: string; answer: string }>(
    "select ticket_id as id, key, answer from idempotency",
  );
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const boundByKey = Map.groupBy(bound, ({ key }) => key);
  const acknowledged = ledger.acknowledgedTickets();
  let [lost, doubled] = [0, 0];
  for (const [key, { answer }] of acknowledged) {
    const { id } = JSON.parse(answer) as { id: string };
    const isThere = byKey.get(key)?.some((row) => row.id === id) && boundByKey.get(key)?.[0]?.id === id;
    if (isThere) continue;
    lost++;
    ledger.fault("an acknowledged ticket is not there", answer);
  }
  for (const [key, found] of byKey) {
    if (key === null) continue;
    if (!ledger.tickets.has(key)) ledger.fault("there is a ticket that nobody sent", key);
    if (found.length === 1 && boundByKey.get(key)?.length === 1) continue;
    doubled++;
    ledger.fault("one key made several tickets", key);
  }
  for (const [key] of boundByKey)
    if (!byKey.has(key)) ledger.fault("a key is bound to a ticket that is not there", key);
  return { sent: acknowledged.length, lost, doubled };
}

async function judgeReports({ deployment, ledger }: Evidence) {
  const rows = await deployment.rows<{ id: string; reportId: string }>(
    `select e.id, e.report_id as "reportId" from event e
     join envelope v on v.event_id = e.id join receipt r on r.event_id = e.id`,
  );
  const byId = Map.groupBy(rows, ({ reportId }) => reportId);
  const acknowledged = ledger.acknowledgedReports();
  let [lost, doubled] = [0, 0];
  for (const [reportId, { eventId }] of acknowledged) {
    if (byId.get(reportId)?.some(({ id }) => id === eventId)) continue;
    lost++;
    ledger.fault("an acknowledged report is not there", eventId);
  }
  for (const [reportId, found] of byId) {
    if (!ledger.reports.has(reportId)) ledger.fault("there is a report that nobody sent", reportId);
    if (found.length === 1) continue;
    doubled++;
    ledger.fault("one report is there more than once", reportId);
  }
  return { sent: acknowledged.length, lost, doubled };
}

/** Reads each attachment by the link that subscribers got. */
async function judgeAttachments({ deployment: { processes }, ledger, paths }: Evidence) {
  let [sent, lost] = [0, 0];
  await inParallel(ledger.acknowledgedReports(), async ([, { eventId, digests }], n) => {
    if (digests.length === 0) return;
    sent += digests.length;
    const links = await until(() => paths.get(eventId), deliveredSeconds).catch(() => []);
    const { url } = (processes[n % processes.length] as Process).server;
    for (const [i, digest] of digests.entries()) {
      const response = await fetch(`${url}${links[i]}`);
      if (response.status === 200 && Bun.SHA256.hash(await response.bytes(), "hex") === digest) continue;
      lost++;
      ledger.fault("an attachment does not come back as it was", `${response.status} for ${links[i]}`);
    }
  });
  return { sent, lost };
}

async function judgeReplays({ deployment: { processes }, ledger, clients }: Evidence) {
  await inParallel(spread(ledger.acknowledgedTickets(), replayedTickets), async ([key, { answer }]) => {
    for (const process of processes) {
      const replayed = await clients.createTicket(process, key);
      const isReplay = replayed?.headers.get("idempotent-replayed") === "true";
      if (replayed?.status === 201 && isReplay && replayed.text === answer) ledger.replays++;
      else ledger.fault("a process does not replay an answer", `${replayed?.status} ${replayed?.text} for ${answer}`);
    }
  });
  const withoutFiles = ledger.acknowledgedReports().filter(([, { digests }]) => digests.length === 0);
  await inParallel(spread(withoutFiles, replayedReports), async ([id]) => {
    for (const process of processes) {
      const replayed = await clients.sendReport(process, id, []);
      if (replayed?.status === 200) clients.reportAcknowledged(id, replayed);
      else ledger.fault("a process does not know a report", `${replayed?.status} ${replayed?.text}`);
    }
  });
}

interface DeliveryRow {
  messageId: string;
  url: string;
  state: string;
  attempts: number;
  accepted: number;
}

async function judgeDeliveries({ deployment, ledger, receivers }: Evidence) {
  const waiting = () =>
    deployment.rows<{ n: number }>("select cast(count(*) as integer) as n from delivery where ended_at is null");
  await until(async () => ((await waiting())[0]?.n === 0 ? true : undefined), deliveredSeconds).catch(async () =>
    ledger.fault("deliveries are still under way", `${(await waiting())[0]?.n}`),
  );
  const rows = await deployment.rows<DeliveryRow>(
    `select d.message_id as "messageId", s.url, d.state, cast(count(a.*) as integer) as attempts,
       cast(count(a.*) filter (where a.error is null) as integer) as accepted
     from delivery d join subscriber s on s.id = d.subscriber_id left join attempt a on a.delivery_id = d.id
     group by d.id, s.url`,
  );
  const byMessage = Map.groupBy(rows, ({ messageId }) => messageId);
  const acknowledged = ledger.acknowledgedReports();
  let [lost, doubled] = [0, 0];
  for (const [, { eventId }] of acknowledged) {
    const found = byMessage.get(eventId) ?? [];
    const missing = receivers.filter(({ url, came }) => !came.has(eventId) || !found.some((row) => row.url === url));
    lost += missing.length;
    for (const { name } of missing) ledger.fault(`a report did not reach the ${name} subscriber`, eventId);
    if (found.length > receivers.length) {
      doubled++;
      ledger.fault("a subscriber has one message twice", eventId);
    }
  }
  for (const { messageId, url, state, attempts, accepted } of rows) {
    if (state !== "delivered") ledger.fault(`a delivery is ${state}`, messageId);
    if (state === "delivered" && accepted !== 1) ledger.fault(`a delivery was accepted ${accepted} times`, messageId);
    const requests = receivers.find((receiver) => receiver.url === url)?.came.get(messageId) ?? 0;
    if (requests > attempts)
      ledger.fault("a message came more often than there were attempts", `${messageId} at ${url}`);
  }
  return { sent: acknowledged.length * receivers.length, lost, doubled };
}

/** What no client sees: halves of reports, and sums that do not fit what they count. */
async function judgeSums({ deployment, ledger }: Evidence) {
  for (const [what, sql] of [
    [
      "a report has a half of itself",
      `select id from event where id not in (select event_id from envelope) or id not in (select event_id from receipt)
       union all select event_id from receipt where event_id not in (select id from event)`,
    ],
    [
      "the usage of a project is wrong",
      `select p.project_id as id from project_usage_now p join event e on e.project_id = p.project_id
       group by p.project_id, p.events, p.bytes
       having p.events <> count(*) or p.bytes <> sum(e.stored_bytes)`,
    ],
    ["a ticket has no history", "select id from ticket where id not in (select ticket_id from activity)"],
  ] as const) {
    for (const { id } of await deployment.rows<{ id: string }>(sql)) ledger.fault(what, id);
  }
  const over = overruns(ledger);
  if (over > 0) ledger.fault(`the limit let too many requests through in ${over} spans of 60 s`);
}

/** How many spans of 60 s certainly have more admitted requests than the limit, where no crash lies in between. */
function overruns({ admitted, limitsReset }: Ledger): number {
  const begins = [Number.NEGATIVE_INFINITY, ...limitsReset.map(({ to }) => to)];
  const ends = [...limitsReset.map(({ from }) => from), Number.POSITIVE_INFINITY];
  const spans = begins.map((begin, i) => {
    const end = ends[i] ?? begin;
    return admitted.filter(({ sent, answered }) => sent > begin && answered < end);
  });
  return spans.reduce((sum, span) => sum + overrunsOf(span, limitedRequests), 0);
}

/** A request is admitted between the moments when it was sent and answered. */
export function overrunsOf(admitted: readonly Admitted[], limit: number): number {
  const sent = admitted.map((one) => one.sent).sort((one, other) => one - other);
  const answered = admitted.map((one) => one.answered).sort((one, other) => one - other);
  // The first `n` were sent no earlier than `sent[n]`, and `limit` more were answered by `answered[n + limit]`.
  return sent.filter((at, n) => (answered[n + limit] ?? Number.POSITIVE_INFINITY) - at < windowMilliseconds).length;
}

async function inParallel<T>(all: readonly T[], work: (one: T, n: number) => Promise<void>): Promise<void> {
  const open = all.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [n, one] of open) await work(one, n);
    }),
  );
}

/** At most so many, evenly from first to last. */
function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => all[Math.floor(i * step)] as T);
}
