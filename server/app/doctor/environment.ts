import { bad, good } from "./finding.ts";

export function environment() {
  const dangerous = ["BUN_OPTIONS", "BUN_BE_BUN"].filter((name) => process.env[name] !== undefined);
  if (dangerous.length === 0) return good("nothing in the environment loads other code");
  return bad(
    "environment_loads_code",
    `${dangerous.join(" and ")} can make this binary run other code`,
    "unset it for the service",
  );
}
