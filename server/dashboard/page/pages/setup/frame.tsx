import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { boot } from "../../core/boot.ts";
import { Brand } from "../../parts/brand.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Spoken } from "../../shell/toasts.tsx";
import type { Given } from "./questions.tsx";

export type Step = "organisation" | "admin" | "send";

/** The frame of the set-up: its steps at the side, the present one beside them. */
export function SetupFrame({ step, given, children }: { step: Step; given: Given; children: ComponentChildren }) {
  const steps = [
    { name: "organisation", title: "Organisation", said: step === "organisation" ? "" : given.organisation },
    { name: "admin", title: "Admin", said: step === "send" ? given.email : "" },
    { name: "send", title: "First ticket, first report", said: "Send both from your terminal" },
    { name: "board", title: "Open the board", said: "" },
  ];
  const now = steps.findIndex(({ name }) => name === step);
  useEffect(() => {
    document.title = "Set up · Intake";
  }, []);
  return (
    <div class="setup">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <aside>
        <div class="brand">
          <Brand />
          Intake
        </div>
        <ol class="path">
          {steps.map(({ name, title, said }, i) => (
            <li
              key={name}
              class={i < now ? "done" : i === now ? "now" : undefined}
              aria-current={i === now ? "step" : undefined}
            >
              <span class="step-mark" aria-hidden="true">
                {i < now ? <Icon name="check" small /> : i + 1}
              </span>
              <div class="shrinkable">
                <b>{title}</b>
                {said !== "" && (
                  <span class="step-note ellipsis" dir="auto" title={said}>
                    {said}
                  </span>
                )}
              </div>
            </li>
          ))}
        </ol>
        <div class="hide-narrow push-down stacked">
          <dl class="facts stacked">
            <div>
              <dt>Public URL</dt>
              <dd class="mono">{given.publicUrl}</dd>
            </div>
            <div>
              <dt>Version</dt>
              <dd class="mono">{boot.value.version}</dd>
            </div>
          </dl>
          <p class="dim small">
            {step === "send"
              ? "The setup link is used up. Other people are invited from Members."
              : "The setup link works once: when this is done, it is used up."}
          </p>
        </div>
      </aside>
      <main id="main">{children}</main>
      <Spoken />
    </div>
  );
}
