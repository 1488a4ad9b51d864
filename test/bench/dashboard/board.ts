import { progress } from "../progress.ts";
import { type Arriving, measureArriving } from "./arriving.ts";
import { fillBoard } from "./fill-board.ts";
import { type FirstPage, measureFirstPage } from "./first-page.ts";
import { type Heap, measureHeap } from "./heap.ts";
import { measurePaging, type Paging } from "./paging.ts";
import { openPage, withScene } from "./scene.ts";
import { measureScrolling, type Scrolling } from "./scroll.ts";

export interface Board {
  cards: number;
  firstPage: FirstPage[];
  scrolling: Scrolling;
  paging: Paging;
  arriving: Arriving;
  heap: Heap;
}

const cards = 10_000;

export function measureBoard(binary: string, { seconds }: { seconds: number }): Promise<Board> {
  progress(`filling a board with ${cards} cards`);
  return withScene(
    binary,
    "board",
    (installation) => fillBoard(installation, cards),
    async (scene) => {
      const [column = ""] = scene.installation.columnIds;
      const firstPage = await measureFirstPage(scene);
      const opened = await openPage(scene, scene.board, "[data-card]");
      progress("scrolling a column");
      const scrolling = await measureScrolling(opened, {
        name: `board of ${cards} cards`,
        box: `[data-column="${column}"] .cards`,
        row: "[data-card]",
        seconds,
      });
      await opened.close();
      const paging = await measurePaging(scene, "a column's next cards", (next) => {
        return `/columns/${column}/cards${next === null ? "" : `?after=${encodeURIComponent(next)}`}`;
      });
      const arriving = await measureArriving(scene);
      return { cards, firstPage, scrolling, paging, arriving, heap: await measureHeap(scene, seconds) };
    },
  );
}
