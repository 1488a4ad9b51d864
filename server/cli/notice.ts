import { dismissNotice } from "../notices/dismiss-notice.ts";
import { listNotices, noticeStates } from "../notices/list-notices.ts";
import { command } from "./command.ts";
import { choice, pageOptions } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const noticeCommands = [
  command({
    name: "notice list",
    summary: "list notices of what needs an admin, newest first, with what to do",
    options: { ...pageOptions, state: choice(noticeStates, "open: the cause is there; over: it is gone; all (all)") },
    example: "intake notice list --state open",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listNotices({ ctx, input: options }));
      io.page(page, ["id", "raisedAt", "state", "level", "rule", "name", "text", "remedy"]);
    },
  }),
  command({
    name: "notice dismiss",
    words: ["ID"],
    summary: "take a notice from every page until it is raised again; the cause stays",
    example: "intake notice dismiss 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      io.result(await withStore(options.data, (ctx) => dismissNotice({ ctx, input: { id: wordId(words) } })));
    },
  }),
];
