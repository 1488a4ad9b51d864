/** What a mail says. */
export interface MailContent {
  /** Paragraphs, with an empty line between two of them. */
  text: string;
  /** What the reader is to open, shown below the text; `label` is on the button. */
  link?: { url: string; label: string } | undefined;
  /** Why the reader gets this mail, small at its end. */
  foot?: string | undefined;
}
