import { type ChangeEvent, type ChangeKind, changeKinds } from "../core/change-event.ts";

/** A page that listens. `send` returns false once it cannot keep up or is gone. */
export interface Listener {
  role: "admin" | "member";
  /** The session that it listens with. */
  session: string;
  /** Whose session that is. */
  member: string;
  send(text: string): boolean;
  close(): void;
}

const listenersMax = 2_000;
/** Of one member with all sessions together, so that nobody takes the places of others. */
const ofMemberMax = 250;
const keptFacts = 2_000;
/** More between two messages than pages could fetch one by one: they are told to look at everything again. */
const factsMax = 500;
const flushMilliseconds = 50;
/** With many pages every message costs that many writes: the API goes first. */
const crowd = 50;
const crowdedMilliseconds = 250;

/**
 * Tells open pages what was stored, some facts in one message, each message made once for each role.
 *
 * Facts have no contents: a page fetches what it shows, with its own permission. A number orders them; a page that
 * comes back names the last one it saw, and is told the rest, or `resync` where that is no longer kept.
 */
export class LiveHub {
  readonly #listeners = new Set<Listener>();
  readonly #ofMember = new Map<string, number>();
  /** Tells numbers of this process from those of an earlier one. */
  readonly #epoch = Math.random().toString(36).slice(2, 10);
  readonly #kept: { seq: number; fact: ChangeEvent }[] = [];
  #pending = new Map<string, ChangeEvent>();
  #seq = 0;
  #timer: Timer | undefined;
  #closed = false;
  #membersChanged = false;

  get listening(): number {
    return this.#listeners.size;
  }

  sessions(): Map<string, Listener["role"]> {
    return new Map([...this.#listeners].map(({ session, role }) => [session, role]));
  }

  /** Whether a member changed since this was asked last: a session may have ended, or lost its role. */
  membersChanged(): boolean {
    const changed = this.#membersChanged;
    this.#membersChanged = false;
    return changed;
  }

  /** False when there are too many, or the server stops. `since` is the id of the last message that the page saw. */
  add(listener: Listener, since: string | undefined): boolean {
    if (this.#closed || this.#listeners.size >= listenersMax) return false;
    const own = this.#ofMember.get(listener.member) ?? 0;
    if (own >= ofMemberMax) return false;
    this.#ofMember.set(listener.member, own + 1);
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

  tell = (fact: ChangeEvent) => {
    if (this.#closed) return;
    if (fact.kind === "member") this.#membersChanged = true;
    // What changes places is told in both.
    const key = `${fact.kind} ${fact.id} ${fact.in}`;
    this.#pending.delete(key);
    if (this.#pending.size <= factsMax) this.#pending.set(key, fact);
    this.#timer ??= setTimeout(
      () => this.#flush(),
      this.#listeners.size > crowd ? crowdedMilliseconds : flushMilliseconds,
    );
    this.#timer.unref();
  };

  /** Something was changed by another process; nobody knows what. */
  resync() {
    this.#seq++;
    this.#kept.length = 0;
    this.#broadcast(() => this.#message("resync", "{}"));
  }

  /** For the proxies in between, and to notice who is gone. */
  beat() {
    this.#broadcast(() => ": beat\n\n");
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
    const facts = [...this.#pending.values()];
    this.#pending = new Map();
    if (facts.length > factsMax) return this.resync();
    for (const fact of facts) this.#kept.push({ seq: ++this.#seq, fact });
    this.#kept.splice(0, this.#kept.length - keptFacts);
    const messages = { admin: this.#facts(facts, "admin"), member: this.#facts(facts, "member") };
    this.#broadcast(({ role }) => messages[role]);
  }

  #greeting(role: Listener["role"], since: string | undefined): string {
    const hello = this.#message("hello", "{}");
    if (since === undefined) return hello;
    const [epoch, number] = since.split("-");
    const oldest = this.#kept[0]?.seq ?? this.#seq + 1;
    const seen = Number(number);
    if (epoch !== this.#epoch || !(seen >= oldest - 1) || seen > this.#seq) return this.#message("resync", "{}");
    const missed = this.#kept.filter(({ seq }) => seq > seen).map(({ fact }) => fact);
    if (missed.length > factsMax) return this.#message("resync", "{}");
    return hello + this.#facts(missed, role);
  }

  #facts(facts: readonly ChangeEvent[], role: Listener["role"]): string {
    const allowed = facts.filter(({ kind }) => role === "admin" || mayMembersKnow(kind));
    return allowed.length === 0 ? "" : this.#message("facts", JSON.stringify(allowed));
  }

  #message(event: string, data: string): string {
    return `id: ${this.#epoch}-${this.#seq}\nevent: ${event}\ndata: ${data}\n\n`;
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
