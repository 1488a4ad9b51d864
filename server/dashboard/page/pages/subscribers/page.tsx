import { useState } from "preact/hooks";
import { isAdmin } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import { narrow } from "../../core/narrow.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar } from "../../shell/bar.tsx";
import type { PageProps } from "../../shell/pages.tsx";
import { type Act, Acts, Opened } from "./acts.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DeliveryPane } from "./delivery.tsx";
import { Head } from "./head.tsx";
import { ReplayNote } from "./replay-note.tsx";
import { StateNote } from "./state-note.tsx";
import { showSubscriber } from "./subscriber.ts";
import { TestNote, type TestResult } from "./test-note.tsx";

/** One subscriber: how it fares, and everything that is sent to it. */
export default function SubscriberPage({ params: { subscriber: id = "", delivery } }: PageProps) {
  const admin = isAdmin.value;
  const loaded = useLoad(`subscriber ${id} ${admin}`, () => showSubscriber(id), {
    kinds: ["subscriber", "delivery"],
    about: (fact) => fact.id === id,
  });
  const [act, setAct] = useState<Act>();
  const [tested, setTested] = useState<TestResult | "waiting">();
  const { data } = loaded;
  const name = data?.name ?? "Subscriber";
  const crumbs = [{ text: "Subscribers", to: "/subscribers" }, name];

  if (!admin || !data) {
    return (
      <>
        <Bar crumbs={crumbs} />
        <main id="main" class="page">
          {admin ? <Shown loaded={loaded}>{() => null}</Shown> : <AdminsOnly what="look into subscribers" />}
        </main>
      </>
    );
  }
  if (narrow.value && delivery !== undefined) return <DeliveryPane subscriber={data} id={delivery} alone />;
  return (
    <>
      <Bar crumbs={crumbs}>
        <Acts subscriber={data} onAct={setAct} onTested={setTested} />
      </Bar>
      <main id="main" class="subscriber">
        <Head subscriber={data} />
        <StateNote subscriber={data} />
        <TestNote tested={tested} onClose={() => setTested(undefined)} />
        <ReplayNote id={id} />
        <Deliveries subscriber={data} chosen={delivery} />
      </main>
      {act && <Opened act={act} subscriber={data} onClose={() => setAct(undefined)} />}
    </>
  );
}
