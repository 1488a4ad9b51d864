import { type ChangeEvent, type ChangeKind, changeKinds } from "../core/change-event.ts";

/** A page that listens. `send` returns false when the page reads too slowly or has closed the connection. */
export interface Listener {
  role: "admin" | "member";
  /** Hash of the session that the page listens with. */
  session: string;
  /** Id of the member whose session it is. */
  member: string;
  send(text: string): boolean;
  close(): void;
}

const listenersMax = 2_000;
/** Pages of one member, over all sessions, so that one member cannot use up the places of others. */
const ofMemberMax = 250;
const keptMax = 2_000;
/**
 * When more changes than this come between two messages, pages are sent `resync` instead and load everything they show
 * again.
 */
const changesMax = 500;
const flushMilliseconds = 50;
/** Above this number of pages messages are sent less often, because each costs one write a page. */
const crowd = 50;
const crowdedMilliseconds = 250;

/**
 * Tells open pages what was stored: several changes in one message, each message written once for each role. A change
 * has no contents: a page fetches what it shows, with its own permission. Messages are numbered; a page that reconnects
 * names the last one it saw and is sent the later ones, or `resync` where they are no longer kept.
 */
export class LiveHub {
  readonly #listeners = new Set<Listener>();
  readonly #ofMember = new Map<string, number>();
  /** Part of every message id, by which ids of an earlier process are recognised. */
  readonly #epoch = Math.random().toString(36).slice(2, 10);
  readonly #kept: { seq: number; change: ChangeEvent }[] = [];
  #pending = new Map<string, ChangeEvent>();
  #seq = 0;
  #timer: Timer | undefined;
  #closed = false;
  #membersChanged = false;

  get listening(): number {
    return this.#listeners.size;
  }

  /** The id of the latest message. */
  get position(): string {
    return `${this.#epoch}-${this.#seq}`;
  }

  sessions(): Map<string, Listener["role"]> {
    return new Map([...this.#listeners].map(({ session, role }) => [session, role]));
  }

  /** Whether a member has changed since the last call: a session may have ended or lost its role. */
  membersChanged(): boolean {
    const changed = this.#membersChanged;
    this.#membersChanged = false;
    return changed;
  }

  /**
   * Adds a page; returns false when there are too many or the server stops. `since` is the id of the last message that
   * the page saw.
   */
  add(listener: Listener, since: string | undefined): boolean {
    if (this.#closed || this.#listeners.size >= listenersMax) return false;
    const open = this.#ofMember.get(listener.member) ?? 0;
    if (open >= ofMemberMax) return false;
    this.#ofMember.set(listener.member, open + 1);
    this.#listeners.add(listener);
    listener.send(this.#greeting(listener.role, since));
    return true;
  }

  remove(listener: Listener) {
    if (!this.#listeners.delete(listener)) return;
    const left = (this.#ofMember.get(listener.member) ?? 0) - 1;
    if (left > 0) this.#ofMember.set(listener.member, left);
    else this.#ofMember.delete(listener.member);
  }

  tell = (change: ChangeEvent) => {
    if (this.#closed) return;
    if (change.kind === "member") this.#membersChanged = true;
    // A moved card has two changes: one for the former place and one for the new place.
    const key = `${change.kind} ${change.id} ${change.in}`;
    this.#pending.delete(key);
    if (this.#pending.size <= changesMax) this.#pending.set(key, change);
    this.#timer ??= setTimeout(
      () => this.#flush(),
      this.#listeners.size > crowd ? crowdedMilliseconds : flushMilliseconds,
    );
    this.#timer.unref();
  };

  /** Passes on what another process has told: it was gathered there already, so pages hear of it at once. */
  hear(changes: readonly ChangeEvent[]) {
    for (const change of changes) this.tell(change);
    if (this.#timer === undefined || this.#listeners.size > crowd) return;
    clearTimeout(this.#timer);
    this.#flush();
  }

  /** Makes every page that comes back load again: not all that happened meanwhile was told here. */
  forget() {
    this.#seq++;
    this.#kept.length = 0;
  }

  /** Makes every page load again: another process has changed the database, and what it changed is not known. */
  resync() {
    this.forget();
    this.#broadcast(() => this.#message("resync", "{}"));
  }

  /** Sends a comment to every page, which keeps proxies from closing the connection and finds pages that are gone. */
  beat() {
    this.#broadcast(() => ": beat\n\n");
  }

  /** Closes the connection of one page. */
  end(listener: Listener) {
    if (this.#listeners.has(listener)) this.#drop(listener);
  }

  endSessions(over: (session: string) => boolean) {
    for (const listener of [...this.#listeners]) if (over(listener.session)) this.#drop(listener);
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.endSessions(() => true);
  }

  #flush() {
    this.#timer = undefined;
    const changes = [...this.#pending.values()];
    this.#pending = new Map();
    if (changes.length > changesMax) return this.resync();
    for (const change of changes) this.#kept.push({ seq: ++this.#seq, change });
    this.#kept.splice(0, this.#kept.length - keptMax);
    if (this.#listeners.size === 0) return;
    const messages = { admin: this.#changes(changes, "admin"), member: this.#changes(changes, "member") };
    this.#broadcast(({ role }) => messages[role]);
  }

  #greeting(role: Listener["role"], since: string | undefined): string {
    const hello = this.#message("hello", "{}");
    if (since === undefined) return hello;
    const [epoch, number] = since.split("-");
    const oldest = this.#kept[0]?.seq ?? this.#seq + 1;
    const seen = Number(number);
    if (epoch !== this.#epoch || !(seen >= oldest - 1) || seen > this.#seq) return this.#message("resync", "{}");
    const missed = this.#kept.filter(({ seq }) => seq > seen).map(({ change }) => change);
    if (missed.length > changesMax) return this.#message("resync", "{}");
    return hello + this.#changes(missed, role);
  }

  #changes(changes: readonly ChangeEvent[], role: Listener["role"]): string {
    const allowed = changes.filter(({ kind }) => role === "admin" || mayMembersKnow(kind));
    return allowed.length === 0 ? "" : this.#message("facts", JSON.stringify(allowed));
  }

  #message(event: string, data: string): string {
    return `id: ${this.position}\nevent: ${event}\ndata: ${data}\n\n`;
  }

  #broadcast(messageFor: (listener: Listener) => string) {
    for (const listener of [...this.#listeners]) {
      const text = messageFor(listener);
      if (text !== "" && !listener.send(text)) this.#drop(listener);
    }
  }

  #drop(listener: Listener) {
    this.remove(listener);
    listener.close();
  }
}

function mayMembersKnow(kind: ChangeKind): boolean {
  return changeKinds[kind] === "member";
}
