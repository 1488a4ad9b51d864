import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import { Icon } from "../../parts/icon.tsx";
import type { Overview } from "../reports/types.ts";

interface Step {
  name: string;
  done: boolean;
  to: string;
  verb: string;
}

/** The first steps of a new project, shown until they are done or dismissed. */
export function FirstSteps({
  projectId,
  overview,
  cards,
}: {
  projectId: string;
  overview: Overview;
  /** Number of cards on the boards of the project. */
  cards: number;
}) {
  const key = `intake-steps-${projectId}`;
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(key) === "dismissed");
  const wanted = isAdmin.value && !dismissed;
  const loaded = useLoad(`${wanted}`, async () => (wanted ? await others() : undefined), {
    kinds: ["subscriber", "member"],
  });
  if (!wanted || !loaded.data) return null;
  const { subscribers, people } = loaded.data;
  const steps: Step[] = [
    {
      name: "Create a ticket by API",
      done: overview.totals.tickets > 0 || cards > 0,
      to: "/settings/tokens",
      verb: "Show the tokens",
    },
    {
      name: "Receive a report",
      done: overview.storage.events > 0,
      to: "/settings/keys",
      verb: "Show the SDK keys",
    },
    { name: "Send reports on to a subscriber", done: subscribers > 0, to: "/subscribers", verb: "Add a subscriber" },
    { name: "Invite somebody", done: people > 1, to: "/settings/members", verb: "Invite a member" },
  ];
  if (steps.every((step) => step.done)) return null;
  return (
    <section class="sheet figure steps-left" aria-label="First steps">
      <header class="row">
        <h2 class="grow">First steps</h2>
        <button
          type="button"
          class="btn ghost"
          onClick={() => {
            localStorage.setItem(key, "dismissed");
            setDismissed(true);
          }}
        >
          Dismiss
        </button>
      </header>
      <ol>
        {steps.map((step) => (
          <li key={step.name} class={step.done ? "dim" : undefined}>
            <span class={`check${step.done ? " checked" : ""}`} aria-hidden="true">
              {step.done && <Icon name="check" />}
            </span>
            <span class="grow">
              {step.name}
              {step.done && <span class="sr-only"> (done)</span>}
            </span>
            {!step.done && (
              <a class="btn" href={step.to}>
                {step.verb}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

async function others() {
  const [subscribers, members] = await Promise.all([done(api.subscribers.get()), done(api.members.names.get())]);
  return { subscribers: subscribers.items.length, people: members.items.filter(({ role }) => role !== "agent").length };
}
