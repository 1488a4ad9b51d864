/**
 * A script element with data, which browsers do not run and to which the content security policy does not apply. No `<`
 * is left in the JSON: text such as `</script>` or `<!--` in a title would end the element or hide its end.
 */
export function dataBlock(id: string, value: unknown): string {
  return `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`;
}
