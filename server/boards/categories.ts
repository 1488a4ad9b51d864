/** What a column means for the cards in it, whatever it is called. */
export const categories = ["backlog", "todo", "doing", "done"] as const;
export type Category = (typeof categories)[number];
