import { useState } from "preact/hooks";
import { isAdmin } from "../../core/boot.ts";
import { useLoad } from "../../core/load.ts";
import { single } from "../../core/narrow.ts";
import type { PageProps } from "../../core/page-props.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { type Act, Acts, Opened } from "./acts.tsx";
import { Deliveries } from "./deliveries.tsx";
import { crumbsOfDelivery, DeliveryPane } from "./delivery.tsx";
import { Head } from "./head.tsx";
import { Present } from "./present.tsx";
import { ReplayNote } from "./replay-note.tsx";
import { StateNote } from "./state-note.tsx";
import { showSubscriber } from "./subscriber.ts";
import { TestNote, type TestResult } from "./test-note.tsx";

/** The page of one subscriber: its state and its deliveries. */
export default function SubscriberPage({ params: { subscriber: id = "", delivery } }: PageProps) {
  const admin = isAdmin.value;
  const loaded = useLoad(`subscriber ${id} ${admin}`, () => showSubscriber(id), {
    kinds: ["subscriber", "delivery"],
    about: (change) => change.id === id,
  });
  const [act, setAct] = useState<Act>();
  const [tested, setTested] = useState<TestResult | "waiting">();
  const { data } = loaded;
  const name = data?.name ?? "Subscriber";
  const alone = single.value && delivery !== undefined;
  const crumbs = alone ? crumbsOfDelivery({ id, name }) : crumbsOf("/subscribers/:subscriber", name);

  if (!admin || !data) {
    return (
      <>
        <Bar crumbs={crumbs} />
        <main id="main" class="page">
          <h1 class="sr-only">Subscriber</h1>
          {admin ? <Shown loaded={loaded}>{() => null}</Shown> : <AdminsOnly what="look into subscribers" />}
        </main>
      </>
    );
  }
  if (alone) return <DeliveryPane subscriber={data} id={delivery} alone />;
  return (
    <>
      <Bar crumbs={crumbs}>
        <Acts subscriber={data} onAct={setAct} onTested={setTested} />
      </Bar>
      <main id="main" class="subscriber">
        <Head subscriber={data} />
        <StateNote subscriber={data} onEnable={() => setAct("enable")} />
        <TestNote tested={tested} onClose={() => setTested(undefined)} />
        <ReplayNote id={id} />
        <Present subscriber={data} />
        <Deliveries subscriber={data} chosen={delivery} />
      </main>
      {act && <Opened act={act} subscriber={data} onClose={() => setAct(undefined)} />}
    </>
  );
}
