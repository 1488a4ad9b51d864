import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../../core/page-props.ts";
import { place } from "../../core/router.ts";
import { FailedOver } from "../../parts/failed-over.tsx";
import { Failed } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import Board from "../board/page.tsx";
import { Panel } from "./panel.tsx";
import { useCard } from "./use-card.ts";

/**
 * The page of a card. It lies over the page that it was opened from, or over its board when its address was opened; on
 * a narrow window it stands alone.
 */
export default function Card({ params }: PageProps) {
  const id = (params["card"] ?? "").toLowerCase();
  const card = useCard(id);
  const wide = useWide();
  const { behind } = place.value;
  const { data, failed } = card.loaded;
  if (!data) {
    if (behind !== undefined) {
      return failed ? <FailedOver title="Card" failed={failed} onRetry={card.loaded.reload} /> : null;
    }
    return (
      <>
        <Bar crumbs={crumbsOf("/cards/:card")} loading={!failed} />
        <main class="page" id="main">
          <h1 class="sr-only">Card</h1>
          {failed && <Failed failed={failed} onRetry={card.loaded.reload} />}
        </main>
      </>
    );
  }
  return (
    <>
      {behind === undefined && wide && <Board params={{ board: data.board.id }} behind />}
      <Panel card={card} data={data} alone={behind === undefined && !wide} />
    </>
  );
}

const wideEnough = matchMedia("(min-width: 1100px)");

function useWide(): boolean {
  const [wide, setWide] = useState(wideEnough.matches);
  useEffect(() => {
    const changed = () => setWide(wideEnough.matches);
    wideEnough.addEventListener("change", changed);
    return () => wideEnough.removeEventListener("change", changed);
  }, []);
  return wide;
}
