export interface Budget {
  work: string;
  wanted: string;
  /** As people read it; "not measured" without a rival. */
  measured: string;
  kept: boolean | undefined;
}

export const megabyte = 2 ** 20;

export const atLeast = (limit: number) => ({ wanted: `≥ ${limit}`, keeps: (value: number) => value >= limit });
export const atMost = (limit: number) => ({ wanted: `≤ ${limit}`, keeps: (value: number) => value <= limit });
export const below = (limit: number) => ({ wanted: `< ${limit}`, keeps: (value: number) => value < limit });

export function budget(
  work: string,
  { wanted, keeps }: { wanted: string; keeps: (value: number) => boolean },
  unit: string,
  value: number | undefined,
): Budget {
  const row = { work, wanted: `${wanted} ${unit}` };
  if (value === undefined) return { ...row, measured: "not measured", kept: undefined };
  return { ...row, measured: `${value.toFixed(unit === "×" ? 2 : 1)} ${unit}`, kept: keeps(value) };
}

export function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}
