import type { Rule } from "../rule.ts";

const hourMilliseconds = 3_600_000;
const foundMax = 100;

export const tokenRefused: Rule = {
  name: "token_refused",
  title: "A token is refused again and again",
  level: "warning",
  about:
    "More than 100 requests with one API token were refused within an hour: it was revoked or has expired (401), lacks a scope (403), or is over its limit (429).",
  remedy: "Its request log says why and from where. Mend the script, replace the token, or raise its limit.",
  threshold: "notice_token_refusals",
  async look({ store, now, settings }) {
    const rows = await store.all<{ id: string; name: string; refusals: number }>(
      // Buckets of five minutes, of which the first one began before the hour.
      `select t.id, t.name, r.refusals from (
         select label, sum(count) as refusals from tally
         where project_id = '' and step = 300000 and at > $1 and series = 'token_refused' group by label) r
       join api_token t on t.id = r.label where r.refusals > $2 order by t.id limit ${foundMax}`,
      [now - hourMilliseconds, settings.notice_token_refusals],
    );
    return rows.map(({ id, name, refusals }) => ({
      ...{ subject: id, projectId: null, name, path: `/settings/tokens/${id}` },
      text: "More requests than the threshold were refused within an hour.",
      count: refusals,
    }));
  },
};
