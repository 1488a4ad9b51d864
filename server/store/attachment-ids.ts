/**
 * The header of a record of two texts of 36 bytes and a number: an entry of the index over the ids of attachments, which
 * is the id, the id of the event, and the number of the attachment there.
 */
const entry = Buffer.from([4, 36 * 2 + 13, 36 * 2 + 13]);
const idBytes = 36;

/**
 * Adds what may be ids of attachments in images of pages: surely that of each row that a transaction with these pages
 * has stored, because the page with its entry in the index was written too. Others must be looked up.
 */
export function addAttachmentIds(images: Buffer, ids: Set<string>) {
  const { length } = images;
  for (let at = images.indexOf(entry); at >= 0; at = images.indexOf(entry, at + 1)) {
    const from = at + entry.length + 1;
    // `8-4-4-4-12` digits: the look at one dash spares most others a string.
    if (from + idBytes > length || images[from + 8] !== 45) continue;
    ids.add(images.toString("latin1", from, from + idBytes));
  }
}
