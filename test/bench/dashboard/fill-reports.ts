import { firstNumberOf } from "../../../server/reports/report-number.ts";
import { facetTerm, tagTerm, wordsOf } from "../../../server/reports/report-terms.ts";
import { fillDatabase, inserter, patternOf } from "../fill-database.ts";

const spanMilliseconds = 30 * 86_400_000;
const errors = ["TypeError", "RangeError", "Timeout", "NetworkError", "OutOfMemory"];
const places = ["checkout", "cart", "search", "login", "settings", "payment", "profile", "feed"];

/** One of `values`, each as often as its weight says of a hundred. */
function share(i: number, values: readonly (readonly [string, number])[]): string {
  // A prime spreads the shares over each hundred, so that no two columns go together.
  let left = (i * 7_919) % 100;
  for (const [value, weight] of values) {
    if (left < weight) return value;
    left -= weight;
  }
  return values[0]?.[0] ?? "";
}

/**
 * Reports of the last 30 days that differ in all that a filter may name, and their entries in the search index. Nothing
 * but their rows in lists is stored: no envelope and no receipt.
 */
export function fillReports(database: string, rows: number) {
  fillDatabase(database, { rows, what: "reports" }, (db) => {
    const event = patternOf(db, "event");
    const addEvent = inserter(db, "event");
    const addAttachment = db.prepare(
      "insert into attachment (event_id, number, id, part, kind, state, size) values (?1, 0, ?2, 'a', 'other', 'stored', 9)",
    );
    const addNumber = db.prepare("insert into report_number (number, event_id) values (?1, ?2)");
    const addText = db.prepare("insert into report_text (rowid, terms) values (?1, ?2)");
    const [project, key] = [String(event["project_id"]), String(event["key_id"])];
    const newest = Number(event["received_at"]) - 60_000;
    db.run("insert or replace into report_indexed (project_id, until) values (?1, ?2)", [project, newest + 61_000]);
    db.run("update project_usage set events = events + ?1, bytes = bytes + ?1", [rows - 1]);
    return (i) => {
      const time = newest - Math.floor(((rows - i) * spanMilliseconds) / rows);
      const id = Bun.randomUUIDv7("hex", time);
      const title = `${errors[i % errors.length]} in ${places[i % places.length]} of order${i % 50_000}`;
      const values = {
        level: share(i, [
          ["fatal", 2],
          ["error", 30],
          ["warning", 28],
          ["info", 40],
        ]),
        type: share(i + 1, [
          ["crash", 5],
          ["error", 50],
          ["feedback", 5],
          ["log", 40],
        ]),
        environment: share(i + 2, [
          ["production", 80],
          ["staging", 15],
          ["development", 5],
        ]),
        release: `4.${i % 13}.${i % 7}`,
        user_id: `u-${i % 90_000}`,
        user_email: `user${i % 90_000}@example.org`,
      };
      const tags = { screen: places[i % 8] ?? "", device: `device-${i % 211}`, build: `b${i % 1_009}` };
      const [attached, warned, repeated] = [i % 97 === 0, i % 53 === 0, i % 101 === 0];
      addEvent({
        ...event,
        ...values,
        id,
        title,
        tags: JSON.stringify(tags),
        report_id: crypto.randomUUID(),
        warnings: warned ? '[{"code":"x"}]' : null,
        repeat_count: repeated ? 3 : 0,
        received_at: time,
      });
      if (attached) addAttachment.run(id, crypto.randomUUID());
      const terms = [facetTerm("project", project), facetTerm("key", key)];
      terms.push(
        facetTerm("level", values.level),
        facetTerm("type", values.type),
        facetTerm("env", values.environment),
      );
      terms.push(facetTerm("release", values.release), facetTerm("user.id", values.user_id));
      terms.push(facetTerm("user.email", values.user_email));
      for (const [name, value] of Object.entries(tags)) terms.push(tagTerm(name, value));
      if (attached) terms.push(facetTerm("has", "attachment"));
      if (warned) terms.push(facetTerm("has", "warning"));
      if (i % 10_007 === 0) terms.push(facetTerm("has", "dropped"));
      const number = firstNumberOf(time);
      addNumber.run(number, id);
      addText.run(number, [...terms, ...wordsOf(title)].join(" "));
    };
  });
}
