import { archiveBoard } from "../boards/archive.ts";
import { boardColumns, boardFields } from "../boards/board-fields.ts";
import { columnColumns, columnFields } from "../boards/column-fields.ts";
import { createBoard } from "../boards/create-board.ts";
import { createColumn } from "../boards/create-column.ts";
import { deleteBoard } from "../boards/delete-board.ts";
import { deleteColumn } from "../boards/delete-column.ts";
import { listBoards } from "../boards/list-boards.ts";
import { listColumns } from "../boards/list-columns.ts";
import { command } from "./command.ts";
import { fieldOptions, newGiven } from "./field-options.ts";
import { flag, pageOptions, uuid } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const boardCommands = [
  command({
    name: "board create",
    summary: "add a board to a project, after its other boards",
    options: {
      ...fieldOptions(boardFields, "new"),
      "no-columns": flag("without the usual four columns"),
    },
    example: "intake board create --project 0198c0de-0000-7000-8000-000000000001 --name Mobile",
    async run({ options, io }) {
      const input = { ...newGiven(boardFields, options), columns: !options["no-columns"] };
      io.result(await withStore(options.data, (ctx) => createBoard({ ctx, input })));
    },
  }),
  command({
    name: "board list",
    summary: "list boards, archived ones included",
    options: { project: uuid("P", "only boards of this project"), ...pageOptions },
    example: "intake board list --project 0198c0de-0000-7000-8000-000000000001",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listBoards({ ctx, input }));
      io.page(page, boardColumns);
    },
  }),
  command({
    name: "board archive",
    words: ["ID"],
    summary: "archive a board: API tokens no longer reach it, its cards stay",
    example: "intake board archive 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => archiveBoard({ ctx, input: { id } })));
    },
  }),
  command({
    name: "board delete",
    words: ["ID"],
    summary:
      "delete a board with its columns, cards and runs; an Idempotency-Key still replays the answer of its ticket",
    example: "intake board delete 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      const progress = (deleted: number) => io.progress(`${deleted} cards deleted`);
      const deleted = await withStore(options.data, (ctx) => deleteBoard({ ctx, input: { id, progress } }));
      io.progress("");
      io.result(deleted);
    },
  }),
];

export const columnCommands = [
  command({
    name: "column create",
    summary: "add a column at the right end of a board",
    options: fieldOptions(columnFields, "new"),
    example: "intake column create --board 0198c0de-0000-7000-8000-000000000001 --name Review",
    async run({ options, io }) {
      const input = newGiven(columnFields, options);
      io.result(await withStore(options.data, (ctx) => createColumn({ ctx, input })));
    },
  }),
  command({
    name: "column list",
    summary: "list columns, board by board, from left to right",
    options: { board: uuid("B", "only columns of this board"), ...pageOptions },
    example: "intake column list --board 0198c0de-0000-7000-8000-000000000001",
    async run({ options, io }) {
      const input = { ...options, boardId: options.board };
      const page = await withStore(options.data, (ctx) => listColumns({ ctx, input }));
      io.page(page, columnColumns);
    },
  }),
  command({
    name: "column delete",
    words: ["ID"],
    summary: "delete an empty column",
    example: "intake column delete 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => deleteColumn({ ctx, input: { id } })));
    },
  }),
];
