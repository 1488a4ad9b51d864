import { cases as behaviour } from "./behaviour.ts";
import type { Case, Env } from "./cases/env.ts";
import { runCases } from "./cases/run.ts";
import { cases as faults } from "./faults.ts";

export const cases: Case[] = [...behaviour, ...faults];

export const run = (env: Env) => runCases(env, cases);
