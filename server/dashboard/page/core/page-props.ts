/** What a page receives: the variable parts of its address, by name. */
export type PageProps = { params: Record<string, string> };
