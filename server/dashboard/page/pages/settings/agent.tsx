import { AdminPage } from "../../shell/admin-page.tsx";
import { Credits } from "./agent/credits.tsx";
import { Ledger } from "./agent/ledger.tsx";
import { Queue } from "./agent/queue.tsx";
import { RunCredits } from "./agent/run-credits.tsx";
import { Runners } from "./agent/runners.tsx";
import { Starters } from "./agent/starters.tsx";

export default function Agent() {
  return (
    <AdminPage path="/settings/agent" title="Agent" what="manage the agent">
      <h1>Agent</h1>
      <Queue />
      <Runners />
      <Credits />
      <RunCredits />
      <Starters />
      <Ledger />
    </AdminPage>
  );
}
