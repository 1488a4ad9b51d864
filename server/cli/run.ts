import { cancelRun } from "../agents/cancel-run.ts";
import { listRuns } from "../agents/list-runs.ts";
import { readRunLog } from "../agents/read-run-log.ts";
import { retryRun } from "../agents/retry-run.ts";
import { runStates } from "../agents/run.ts";
import { showRun } from "../agents/show-run.ts";
import { command } from "./command.ts";
import { choice, pageOptions } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const id = "0198c0de-0000-7000-8000-000000000001";

/** Commands for agent runs: what the AI agent does for cards that are assigned to it. */
export const runCommands = [
  command({
    name: "run list",
    summary: "list agent runs, newest first",
    options: { ...pageOptions, state: choice(["live", "ended", ...runStates] as const, "only runs in this state") },
    example: "intake run list --state waiting",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) =>
        listRuns({ ctx, input: { ...options, state: options.state } }),
      );
      const items = page.items.map((run) => ({ ...run, ticketId: run.card.id, title: run.card.title }));
      io.page({ items, next: page.next }, ["id", "state", "reason", "attempt", "queuedAt", "ticketId", "title"]);
    },
  }),
  command({
    name: "run show",
    words: ["ID"],
    summary: "show an agent run",
    example: `intake run show ${id}`,
    async run({ options, words, io }) {
      io.result(await withStore(options.data, (ctx) => showRun({ ctx, input: { id: wordId(words) } })));
    },
  }),
  command({
    name: "run log",
    words: ["ID"],
    summary: "print what an agent run has written so far",
    example: `intake run log ${id}`,
    async run({ options, words, io }) {
      await withStore(options.data, async (ctx) => {
        for (let after: number | null = 0; after !== null; ) {
          const { items, next } = await readRunLog({ ctx, input: { id: wordId(words), after } });
          for (const { text } of items) io.text(text);
          after = next;
        }
      });
    },
  }),
  command({
    name: "run cancel",
    words: ["ID"],
    summary: "cancel an agent run; the runner that executes it stops",
    example: `intake run cancel ${id}`,
    async run({ options, words, io }) {
      io.result(await withStore(options.data, (ctx) => cancelRun({ ctx, input: { id: wordId(words) } })));
    },
  }),
  command({
    name: "run retry",
    words: ["ID"],
    summary: "queue a new agent run for the card of a run that has ended",
    example: `intake run retry ${id}`,
    async run({ options, words, io }) {
      io.result(await withStore(options.data, (ctx) => retryRun({ ctx, input: { id: wordId(words) } })));
    },
  }),
];
