import { isAdmin } from "../../core/boot.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { Credits } from "./agent/credits.tsx";
import { Ledger } from "./agent/ledger.tsx";
import { Queue } from "./agent/queue.tsx";
import { RunCredits } from "./agent/run-credits.tsx";
import { Runners } from "./agent/runners.tsx";
import { Starters } from "./agent/starters.tsx";

export default function Agent() {
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/agent")} />
      <main id="main" class="page">
        <h1>Agent</h1>
        {isAdmin.value ? (
          <>
            <Queue />
            <Runners />
            <Credits />
            <RunCredits />
            <Starters />
            <Ledger />
          </>
        ) : (
          <AdminsOnly what="manage the agent" />
        )}
      </main>
    </>
  );
}
