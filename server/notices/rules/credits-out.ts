import type { Rule } from "../rule.ts";

export const creditsOut: Rule = {
  name: "credits_out",
  title: "The agent has no credits left",
  level: "warning",
  about: "The balance is used up, or too small for a run that waits for credits. Runs wait until there are more.",
  remedy: "Grant credits under Settings, Agent, or with intake credits grant.",
  async look({ store }) {
    const row = await store.one<{ credits: number | null; waiting: number }>(
      `select credits, (select cast(count(*) as integer) from (
           select 1 from agent_run where state = 'waiting' and reason = 'no_credits' limit 1) found) as waiting
         from organisation limit 1`,
    );
    if (row === undefined || row.credits === null || (row.credits > 0 && row.waiting === 0)) return [];
    const text = row.credits > 0 ? "Runs wait for more credits than are left." : "The balance is 0.";
    return [{ subject: "", projectId: null, name: null, text, path: "/settings/agent" }];
  },
};
