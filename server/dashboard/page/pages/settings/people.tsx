import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { FoundPerson, PersonQuery } from "../../../../../openapi/schema/people.ts";
import { api, done } from "../../core/api.ts";
import { bytes, plural, whole } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyBlock } from "../../parts/copy.tsx";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { Ago } from "../../parts/time.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";

/** A browser holds the whole export in memory before it saves it. */
const exportBytes = 100_000_000;

/** What reports have of a person: found, exported and deleted. */
export default function People() {
  return (
    <AdminPage path="/settings/people" title="Personal data" what="find, export and delete the data of a person">
      <h1>Personal data</h1>
      <Page />
    </AdminPage>
  );
}

function Page() {
  const [by, setBy] = useState<PersonQuery["by"]>("user.email");
  const [value, setValue] = useState("");
  const [found, setFound] = useState<{ person: PersonQuery; result: FoundPerson }>();
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function find(person: PersonQuery) {
    setBusy(true);
    setFailed(undefined);
    try {
      setFound({ person, result: await done(api.people.find.post(person)) });
    } catch (error) {
      setFound(undefined);
      setFailed(failureOf(error).message);
    }
    setBusy(false);
  }

  function submit(event: Event) {
    event.preventDefault();
    if (value !== "") void find({ by, value });
  }

  return (
    <>
      <p class="dim">
        What reports have of the person whom they name in user.id or user.email. Cards and comments are text of your
        organisation and are not looked through. Each search is in the audit log, without the person.
      </p>
      <div class="forms">
        <form class="sheet padded stack" onSubmit={submit}>
          <h2>A person</h2>
          <Field label="Found by">
            {(tied) => (
              <select
                {...tied}
                class="field"
                value={by}
                onChange={(event) => setBy(event.currentTarget.value as PersonQuery["by"])}
              >
                <option value="user.email">E-mail (user.email)</option>
                <option value="user.id">Id (user.id)</option>
              </select>
            )}
          </Field>
          <Field label="Value" hint="Whole, as apps send it: upper and lower case differ." wrong={failed}>
            {(tied) => (
              <span class="field">
                <input
                  {...tied}
                  value={value}
                  onInput={(event) => setValue(event.currentTarget.value)}
                  autocomplete="off"
                  spellcheck={false}
                  maxLength={200}
                  required
                />
              </span>
            )}
          </Field>
          <div class="row">
            <button type="submit" class="btn primary" disabled={busy || value === ""}>
              Find
            </button>
          </div>
        </form>
        {found && <Found key={found.result.code} {...found} again={() => find(found.person)} />}
        <section class="sheet padded stack">
          <h2>A whole project</h2>
          <p class="dim">
            Tickets and reports as JSON Lines, with attachments as files. A project may have gigabytes, so it is a
            command beside the server, which goes on after a kill.
          </p>
          <CopyBlock text="intake project export PROJECT --to DIR" />
        </section>
      </div>
    </>
  );
}

function Found({ person, result, again }: { person: PersonQuery; result: FoundPerson; again: () => Promise<void> }) {
  const [asking, setAsking] = useState(false);
  const [working, setWorking] = useState<string>();
  const [failed, setFailed] = useState<string>();
  const { reports, attachments, cards, deliveries, oldest, newest, code } = result;
  const large = result.bytes > exportBytes;

  async function save() {
    setWorking("Exporting…");
    setFailed(undefined);
    try {
      download(await exportOf(person));
    } catch (error) {
      setFailed(failureOf(error).message);
    }
    setWorking(undefined);
  }

  async function remove() {
    for (let left = reports; left > 0; ) {
      const now = left;
      const step = await sensitive(() => done(api.people.delete.post({ ...person, reports: now })));
      left = step.left;
      setWorking(left > 0 ? `${whole(left)} left…` : undefined);
    }
    say(`${plural(reports, "report")} deleted.`);
    await again();
  }

  return (
    <section class="sheet padded stack" aria-label="What was found">
      <h2>Found</h2>
      <p role="status">{reports === 0 ? "No report names this person." : plural(reports, "report")}</p>
      {reports > 0 && (
        <>
          <dl class="facts stacked">
            <Fact name="Files">{plural(attachments, "attachment")}</Fact>
            <Fact name="Size">{bytes(result.bytes)}</Fact>
            <Fact name="Received">
              {oldest !== null && <Ago at={oldest} />}
              {" to "}
              {newest !== null && <Ago at={newest} />}
            </Fact>
            <Fact name="Sent">{plural(deliveries, "delivery", "deliveries")} to subscribers</Fact>
            <Fact name="Cards">{whole(cards)} made from them</Fact>
            <Fact name="Code">
              <code>{code}</code> in the audit log
            </Fact>
          </dl>
          {failed !== undefined && <Note tone="err">{failed}</Note>}
          {large && (
            <Note tone="info">
              Too much for a browser: <code>intake person export</code> writes it to a file.
            </Note>
          )}
          <div class="row wrap">
            <button type="button" class="btn" disabled={large || working !== undefined} onClick={save}>
              <Icon name="down" small />
              Export JSON Lines
            </button>
            <button type="button" class="btn danger" disabled={working !== undefined} onClick={() => setAsking(true)}>
              Delete {plural(reports, "report")}
            </button>
            <span role="status" class="dim">
              {working}
            </span>
          </div>
        </>
      )}
      {asking && (
        <Confirm
          title={`Delete ${plural(reports, "report")} of this person?`}
          verb="Delete for good"
          typed={String(reports)}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {plural(attachments, "attachment")} and {plural(deliveries, "delivery", "deliveries")} go with them. Copies
            of subscribers and backups stay, and so does the text of {plural(cards, "card")} made from them.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

async function exportOf(person: PersonQuery): Promise<Blob> {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const at: { cursor?: string } = cursor === null ? {} : { cursor };
    const page: { items: string[]; next: string | null } = await sensitive(() =>
      done(api.people.export.post({ ...person, ...at })),
    );
    for (const item of page.items) parts.push(item, "\n");
    cursor = page.next;
  } while (cursor !== null);
  return new Blob(parts, { type: "application/jsonl" });
}

function download(blob: Blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = "intake-person.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
