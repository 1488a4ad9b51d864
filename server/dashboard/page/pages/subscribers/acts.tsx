import { api, done } from "../../core/api.ts";
import { useShortcuts } from "../../core/keys.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { EnableSubscriber } from "./enable.tsx";
import { RemoveSubscriber, RotateSecret } from "./end.tsx";
import { SubscriberForm } from "./form.tsx";
import { ReplaySince } from "./replay-since.tsx";
import type { Subscriber } from "./subscriber.ts";
import type { TestResult } from "./test-note.tsx";

export type Act = "change" | "enable" | "rotate" | "remove" | "replay";

/** The actions for a subscriber: buttons, or one menu on a phone. */
export function Acts({
  subscriber: { id, name, subscriberStatus: status },
  onAct,
  onTested,
}: {
  subscriber: Subscriber;
  onAct: (act: Act) => void;
  onTested: (result: TestResult | "waiting" | undefined) => void;
}) {
  async function test() {
    onTested("waiting");
    try {
      onTested(await done(api.subscribers({ id }).test.post({})));
    } catch (error) {
      onTested(undefined);
      say(failureOf(error).message, { bad: true });
    }
  }

  async function change(what: "pause" | "resume" | "enable") {
    if (what === "enable") return onAct(what);
    try {
      await sensitive(() => done(api.subscribers({ id })[what].post({})));
      say({ pause: "Paused. Deliveries are kept.", resume: "Resumed." }[what]);
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  const state = status === "paused" ? "resume" : status === "disabled" ? "enable" : "pause";
  const words = { pause: "Pause", resume: "Resume", enable: "Enable…" }[state];
  useShortcuts([{ keys: "e", does: "Change this subscriber", run: () => onAct("change") }]);
  return (
    <>
      <button type="button" class="btn hide-narrow" onClick={test}>
        <Icon name="send" small />
        Send test
      </button>
      <button type="button" class="btn hide-narrow" onClick={() => change(state)}>
        <Icon name={state === "pause" ? "pause" : "play"} small />
        {words}
      </button>
      <button type="button" class="btn hide-narrow" onClick={() => onAct("replay")}>
        <Icon name="replay" small />
        Replay since…
      </button>
      <Menu
        label={`More on ${name}`}
        items={[
          { label: "Send test", icon: "send", run: () => void test() },
          { label: words, icon: state === "pause" ? "pause" : "play", run: () => void change(state) },
          { label: "Replay since…", icon: "replay", run: () => onAct("replay") },
          { label: "Change", icon: "pencil", run: () => onAct("change") },
          { label: "Rotate secret", icon: "key", run: () => onAct("rotate") },
          { label: "Remove", icon: "trash", danger: true, run: () => onAct("remove") },
        ]}
      />
    </>
  );
}

export function Opened({ act, subscriber, onClose }: { act: Act; subscriber: Subscriber; onClose: () => void }) {
  const Dialog = {
    change: SubscriberForm,
    enable: EnableSubscriber,
    rotate: RotateSecret,
    remove: RemoveSubscriber,
    replay: ReplaySince,
  }[act];
  return <Dialog subscriber={subscriber} onClose={onClose} />;
}
