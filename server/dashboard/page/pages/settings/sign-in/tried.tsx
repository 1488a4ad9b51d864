import { api, done } from "../../../core/api.ts";
import { useLoad } from "../../../core/load.ts";
import { Note } from "../../../parts/note.tsx";

const roles = {
  admin: "would be an admin",
  member: "would be a member",
  none: "would be refused: none of the groups may sign in",
  unchanged: "would keep the role: this provider decides about none",
} as const;

/** What a provider told when an admin tried it: the claims, and what follows from them. Nobody was signed in. */
export function TriedSheet() {
  const { data, failed } = useLoad("tried", () => done(api.providers.tried.get()));
  if (failed) return <Note tone="warn">What the provider told is not here any more. Try it again.</Note>;
  if (!data) return null;
  const { claims, email, groups, role, subject, provider } = data;
  return (
    <section class="sheet padded stack" aria-label={`What ${provider} told`}>
      <h2>What {provider} told</h2>
      <p>
        The person with the subject <code>{subject}</code> {roles[role]}.{" "}
        {email === null ? "No verified e-mail address came with it." : `The verified e-mail address is ${email}.`}{" "}
        {groups === 0 ? "No groups were found." : `Groups found: ${groups}.`}
      </p>
      <dl class="facts stacked">
        {claims.map(({ name, value }) => (
          <div key={name}>
            <dt class="mono">{name}</dt>
            <dd class="mono" dir="auto">
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
