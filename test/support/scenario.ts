import { describe, expect, test } from "bun:test";
import type { Example } from "../../openapi/model/openapi.ts";
import { documented, documentedHeaders, operationOf } from "./documented.ts";
import { describeTargets, type Target } from "./targets.ts";

/** How to make an operation answer as an example of the document says. */
export interface Scenario {
  status: number;
  /** Name of the example; absent for an answer without a body. */
  example?: string;
  provoke(target: Target): Promise<Response>;
  /** Members that differ every time; all others have to equal the example. */
  except?: readonly string[];
  /** The scenario cannot run at the same time as others. */
  alone?: true;
}

/**
 * Provokes every answer of an operation and compares it with the document; fails when the document has further answers.
 */
export function describeScenarios(id: string, scenarios: readonly Scenario[]) {
  describeOperations({ [id]: scenarios });
}

/** The same for several operations of one server at the same time, because a body that never comes takes its 30 s. */
export function describeOperations(operations: Readonly<Record<string, readonly Scenario[]>>) {
  const all = Object.entries(operations).flatMap(([id, scenarios]) => scenarios.map((scenario) => ({ id, scenario })));
  const answers = new Map<Scenario, Promise<Response>>();

  async function provoked(target: Target, { id, scenario }: (typeof all)[number]): Promise<Response> {
    const { path, method } = operationOf(id);
    const response = await scenario.provoke(target);
    await documented(method.toUpperCase(), path, response);
    return response;
  }

  describeTargets(
    `${Object.keys(operations).join(", ")}: answers in the document`,
    (target) => {
      test("they come", async () => {
        for (const one of all.filter(({ scenario }) => !scenario.alone)) {
          answers.set(one.scenario, provoked(target(), one));
        }
        await Promise.allSettled(answers.values());
        for (const one of all.filter(({ scenario }) => scenario.alone)) {
          answers.set(one.scenario, provoked(target(), one));
          await answers.get(one.scenario)?.catch(() => {});
        }
        await Promise.all(answers.values());
      }, 180_000);

      describe.each(Object.entries(operations))("%s", (id, scenarios) => compare(id, scenarios, answers));
    },
    ["compiled binary"],
  );
}

function compare(id: string, scenarios: readonly Scenario[], answers: ReadonlyMap<Scenario, Promise<Response>>) {
  const { operation } = operationOf(id);
  test("each is provoked here, and no other", () => {
    expect(scenarios.map(({ status, example }) => `${status} ${example ?? ""}`).sort()).toEqual(
      Object.entries(operation.responses)
        .flatMap(([status, { content }]) => {
          const examples = Object.values(content ?? {}).flatMap((media) => Object.keys(media.examples));
          return content ? examples.map((example) => `${status} ${example}`) : [`${status} `];
        })
        .sort(),
    );
  });

  for (const scenario of scenarios) {
    const { status, example, except = [] } = scenario;
    test(`${status} ${example ?? "without a body"}`, async () => {
      const response = await answers.get(scenario);
      expect(response?.status).toBe(status);
      if (example === undefined) return;
      const written = exampleOf(operation.responses[status]?.content ?? {}, example);
      const answer = await response?.clone().json();
      expect(without(answer, except)).toEqual(without(written.value, except));
    });
  }

  for (const [status, answer] of Object.entries(operation.responses)) {
    test(`${status}: every header of the document is sent`, async () => {
      const responses = await Promise.all(
        scenarios.filter((one) => String(one.status) === status).map((one) => answers.get(one)),
      );
      const sent = new Set(responses.flatMap((response) => [...(response?.headers.keys() ?? [])]));
      expect(documentedHeaders(answer).filter(({ name }) => !sent.has(name))).toEqual([]);
    });
  }
}

function exampleOf(content: Record<string, { examples: Record<string, Example> }>, name: string): Example {
  const [found] = Object.values(content).flatMap(({ examples }) => examples[name] ?? []);
  if (!found) throw new Error(`the document has no example ${name}`);
  return found;
}

function without(body: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(body as object).filter(([name]) => !names.includes(name)));
}
