import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";

/** The findings of Redocly (`recommended-strict`) and Spectral (`spectral:oas`) in a document, a line each. */
export async function lint(text: string): Promise<string[]> {
  return [...(await redocly(text)), ...(await spectral(text))];
}

/** Used as libraries, because their command lines look for updates and report their use. */
async function redocly(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ""} ${message}`);
}

async function spectral(text: string): Promise<string[]> {
  const linter = new Spectral();
  linter.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await linter.run(text);
  return problems.map(({ code, message, path }) => `spectral ${code} ${path.join("/")} ${message}`);
}
