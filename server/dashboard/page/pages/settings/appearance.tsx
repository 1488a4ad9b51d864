import { singleKeys } from "../../core/keys.ts";
import { type Look, look, setLook } from "../../core/look.ts";
import { Bar, crumbsOf } from "../../shell/bar.tsx";

interface Choice<Name extends keyof Look> {
  name: Name;
  title: string;
  about: string;
  values: readonly (readonly [Look[Name], string])[];
}

const choices = [
  {
    name: "theme",
    title: "Theme",
    about: "System follows what your device says.",
    values: [
      ["system", "System"],
      ["light", "Light"],
      ["dark", "Dark"],
    ],
  } satisfies Choice<"theme">,
  {
    name: "density",
    title: "Density",
    about: "Compact shows more rows and cards at once.",
    values: [
      ["usual", "Usual"],
      ["compact", "Compact"],
    ],
  } satisfies Choice<"density">,
  {
    name: "time",
    title: "Times",
    about: "Receipts are in UTC always; pointing at a time shows both.",
    values: [
      ["local", "Local"],
      ["utc", "UTC"],
    ],
  } satisfies Choice<"time">,
  {
    name: "motion",
    title: "Motion",
    about: "System follows what your device says.",
    values: [
      ["system", "System"],
      ["off", "None"],
    ],
  } satisfies Choice<"motion">,
  {
    name: "keys",
    title: "Single-key shortcuts",
    about: "C, M, J and others. What has Ctrl or Alt works in any case.",
    values: [
      ["on", "On"],
      ["off", "Off"],
    ],
  } satisfies Choice<"keys">,
] as const;

/** How pages look in this browser, which also keeps the choice. */
export default function Appearance() {
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/appearance")} />
      <main id="main" class="page">
        <div class="head">
          <div>
            <h1>Appearance</h1>
            <p>Kept in this browser, for you alone.</p>
          </div>
        </div>
        <div class="sheet appearance">
          {choices.map((choice) => (
            <fieldset key={choice.name}>
              <legend>{choice.title}</legend>
              <p class="dim">{choice.about}</p>
              <div class="segmented">
                {choice.values.map(([value, label]) => (
                  <label key={value}>
                    <input
                      type="radio"
                      class="sr-only"
                      name={choice.name}
                      checked={look.value[choice.name] === value}
                      onChange={() => choose(choice.name, value)}
                    />
                    {label}
                  </label>
                ))}
              </div>
            </fieldset>
          ))}
        </div>
      </main>
    </>
  );
}

function choose<Name extends keyof Look>(name: Name, value: Look[Name]) {
  setLook(name, value);
  if (name === "keys") singleKeys.value = value === "on";
}
