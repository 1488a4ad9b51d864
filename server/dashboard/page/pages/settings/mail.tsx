import { api, done } from "../../core/api.ts";
import { useLoad } from "../../core/load.ts";
import { Note } from "../../parts/note.tsx";
import { Shown } from "../../parts/states.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { MailList } from "./mail/list.tsx";
import { PasswordRow } from "./mail/password.tsx";
import { TestMail } from "./mail/test.tsx";
import { SettingRow } from "./organisation/setting.tsx";

/** The mail server, a test of it, and what became of mails. */
export default function Mail() {
  return (
    <AdminPage path="/settings/mail" title="Mail" what="set up mail">
      <h1>Mail</h1>
      <Page />
    </AdminPage>
  );
}

export type MailData = Awaited<ReturnType<typeof load>>;
const load = () => done(api.mail.get());

function Page() {
  const mail = useLoad("mail", load, { kinds: ["organisation", "member"] });
  return (
    <Shown loaded={mail} rows={8}>
      {({ isSet, hasPublicUrl, password, settings, mails }) => (
        <>
          <p>
            Invitations, links for new passwords and notices are mailed once there is a mail server. Links are shown
            here as well.
          </p>
          {!isSet && <Note tone="info">Nothing is mailed yet: set the mail server and the sender’s address.</Note>}
          {isSet && !hasPublicUrl && (
            <Note>
              Links are not mailed, because nobody has set the <a href="/settings/organisation">public address</a> that
              they begin with.
            </Note>
          )}
          <section class="stacked" aria-label="Mail server">
            <h2>Mail server</h2>
            <div class="sheet">
              {settings.map((setting) => (
                <SettingRow key={setting.name} setting={setting} held={null} />
              ))}
              <PasswordRow state={password} onSaved={mail.reload} />
            </div>
          </section>
          {isSet && <TestMail />}
          <MailList mails={mails} />
        </>
      )}
    </Shown>
  );
}
