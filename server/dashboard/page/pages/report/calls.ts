import { api, done } from "../../core/api.ts";
import { sensitive } from "../../core/sensitive.ts";
import type { Attachment } from "../reports/types.ts";

type Query = Record<string, string | undefined>;

export function readReports(projectId: string, query: Query) {
  return done(api.projects({ id: projectId }).reports.get({ query }));
}

export function readVolume(projectId: string, query: Query) {
  return done(api.projects({ id: projectId }).reports.volume.get({ query }));
}

export function readSuggestions(projectId: string, query: Query) {
  return done(api.projects({ id: projectId }).reports.suggestions.get({ query }));
}

export function readReport(id: string) {
  return done(api.reports({ id }).get());
}

export function readText({ id }: Attachment) {
  return done(api.attachments({ id }).text.get());
}

export function deleteReport(id: string) {
  return sensitive(() => done(api.reports({ id }).delete()));
}

export function deleteReports(ids: readonly string[]) {
  return sensitive(() => done(api.reports.delete.post({ ids: [...ids] })));
}

export function readDraft(reportIds: readonly string[]) {
  return done(api.reports.draft.get({ query: { ids: reportIds.join() } }));
}

interface NewCard {
  /** Stays the same when the call is tried again, so that no second card is made. */
  op: string;
  reportIds: string[];
  columnId: string;
  title: string;
  description: string;
}

export function createCard(card: NewCard) {
  return done(api.reports.card.post(card));
}

export function deleteCard(id: string) {
  return done(api.cards({ id }).delete());
}
