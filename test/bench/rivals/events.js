export function createEventTables(db) {
  db.exec(`
    create table event (id text primary key, report_id text not null unique, received integer, json text) strict;
    create table attachment (id text primary key, event_id text not null, size integer) strict;
  `);
}

/** The rows of one report; true when its id was stored before. */
export function eventWriter(db) {
  const insertEvent = db.prepare("insert into event values (?, ?, ?, ?) on conflict (report_id) do nothing");
  const insertAttachment = db.prepare("insert into attachment values (?, ?, ?)");
  return ({ eventId, envelope, attachments }) => {
    const { changes } = insertEvent.run(eventId, envelope.report.reportId, Date.now(), envelope.json);
    if (changes === 0) return true;
    for (const { id, size } of attachments) insertAttachment.run(id, eventId, size);
    return false;
  };
}
