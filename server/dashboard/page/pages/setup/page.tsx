import { useEffect, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import { place } from "../../core/router.ts";
import { Entry } from "../../parts/entry.tsx";
import { Failed } from "../../parts/states.tsx";
import { SetupFrame, type Step } from "./frame.tsx";
import { type Given, Questions } from "./questions.tsx";
import { SendSomething } from "./send.tsx";

export type Made = Awaited<ReturnType<typeof setUp>>;

export function setUp(body: Given & { secret: string }) {
  return done(api.setup.post(body));
}

const closed = "Setup links work once and for 30 minutes. Restart `intake serve` to print a new one.";

/**
 * The set-up, opened by the link that the server printed: the organisation, its admin, and a first ticket and report.
 */
export default function Setup() {
  const [secret] = useState(place.value.fragment);
  const state = useLoad("setup", () => done(api.setup.get()));
  const [step, setStep] = useState<Step>("organisation");
  const [given, setGiven] = useState<Given>({ organisation: "", email: "", password: "", publicUrl: location.origin });
  const [made, setMade] = useState<Made>();
  const { data, failed } = state;

  useEffect(() => {
    // When an organisation exists and its secrets are not in memory, there is nothing to show here.
    if (data?.state === "done" && !made) location.replace("/sign-in");
  }, [data, made]);

  if (made) {
    return (
      <SetupFrame step="send" given={given}>
        <SendSomething made={made} />
      </SetupFrame>
    );
  }
  if (failed) {
    return (
      <Entry title="Set up Intake">
        <Failed failed={failed} onRetry={state.reload} />
      </Entry>
    );
  }
  if (!data || data.state === "done") return <Entry title="Set up Intake" />;
  if (data.state === "closed" || secret === "") {
    return (
      <Entry title="This link is closed">
        <p>
          {secret === "" && data.state === "open"
            ? "The link is not whole: what follows the # opens the setup. Copy all of what `intake serve` printed."
            : closed}
        </p>
      </Entry>
    );
  }
  return (
    <SetupFrame step={step} given={given}>
      <Questions
        step={step}
        onStep={setStep}
        given={given}
        onGiven={setGiven}
        fixedUrl={data.publicUrl}
        seconds={data.seconds ?? 0}
        onSubmit={async () => {
          const answer = await setUp({ ...given, secret });
          history.replaceState(null, "", "/setup");
          enter(given, answer);
          setMade(answer);
        }}
      />
    </SetupFrame>
  );
}

/** Continues as the new admin without loading the document again, because the secrets are only in its memory. */
function enter({ organisation, email, publicUrl }: Given, made: Made) {
  const name = email.slice(0, email.indexOf("@"));
  const before = boot.value;
  const url = publicUrl.replace(/\/+$/, "");
  boot.value = {
    ...before,
    organisation,
    publicUrl: url,
    ingestUrl: before.ingestUrl === before.publicUrl ? url : before.ingestUrl,
    member: { id: made.admin.id, name, email: made.admin.email, role: "admin" },
  };
}
