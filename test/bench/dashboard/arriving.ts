import { progress } from "../progress.ts";
import { quantile } from "../quantile.ts";
import { openPage, type Scene } from "./scene.ts";
import { sendTicket } from "./send-ticket.ts";

/** From the moment a ticket is sent until it stands on a board that somebody else has open. */
export interface Arriving {
  tickets: number;
  p50Milliseconds: number;
  p95Milliseconds: number;
}

const tickets = 40;
const pauseMilliseconds = 150;

/** Both clocks are this machine's. */
const watch = `
window.arrived = {};
new MutationObserver(() => {
  const now = Date.now();
  for (const card of document.querySelectorAll("[data-card].new")) {
    arrived[/arrival-\\d+/.exec(card.textContent)] ??= now;
  }
}).observe(document.body, { childList: true, subtree: true });
window.arrivalOf = async (name) => {
  while (!arrived[name]) await new Promise(requestAnimationFrame);
  return arrived[name];
}`;

export async function measureArriving(scene: Scene): Promise<Arriving> {
  progress("sending tickets to an open board");
  const { page, close } = await openPage(scene, scene.board, "[data-card]");
  await page.evaluate(watch);
  const times: number[] = [];
  for (let i = 0; i < tickets; i++) {
    const name = `arrival-${i}`;
    const sent = Date.now();
    await sendTicket(scene.server, name);
    times.push((await page.evaluate<number>(`arrivalOf("${name}")`)) - sent);
    // Never in step with the server's clockwork.
    await Bun.sleep(pauseMilliseconds + Math.random() * pauseMilliseconds);
  }
  await close();
  return { tickets, p50Milliseconds: quantile(times, 0.5), p95Milliseconds: quantile(times, 0.95) };
}
