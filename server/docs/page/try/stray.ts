interface Stray {
  input: HTMLInputElement;
  text: string;
}

/** Finds the first input with a character that no header can carry, such as the `…` of a shortened value. */
export function strayIn(inputs: readonly HTMLInputElement[]): Stray | undefined {
  for (const input of inputs) {
    const stray = [...input.value].find((character) => !isCarried(character));
    const name = input.labels?.[0]?.textContent;
    if (stray !== undefined) return { input, text: `Not sent: ${name} has “${stray}”, which no header carries.` };
  }
  return undefined;
}

function isCarried(character: string): boolean {
  try {
    return new Headers({ "x-try": character }).has("x-try");
  } catch {
    return false;
  }
}
