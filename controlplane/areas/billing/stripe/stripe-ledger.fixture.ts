import type Stripe from 'stripe';

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds; each reader knows its kind
export type Loose = any;

/** The objects of an account, and the events about them. */
export interface StripeLedger {
  /** Objects of a kind by their ids, in the order they were made. */
  store(kind: string): Map<string, Loose>;
  add(kind: string, object: Loose): Loose;
  nextId(prefix: string): string;
  /** Adds an event about an object in its current state; `previous` holds the earlier values of changed members. */
  tell(type: string, object: object, previous?: object): void;
  takeEvents(): Stripe.Event[];
  /** Since 1970. */
  seconds(): number;
}

/** @param now in milliseconds since 1970 */
export function createStripeLedger(now: () => number): StripeLedger {
  const stores: Record<string, Map<string, Loose>> = {};
  const events: Stripe.Event[] = [];
  let count = 0;

  const seconds = () => Math.floor(now() / 1000);
  const store: StripeLedger['store'] = (kind) => {
    stores[kind] ??= new Map();
    return stores[kind];
  };
  const nextId: StripeLedger['nextId'] = (prefix) => {
    count += 1;
    return `${prefix}_${count}`;
  };

  return {
    store,
    add(kind, object) {
      store(kind).set(object.id, object);
      return object;
    },
    nextId,
    tell(type, object, previous) {
      const data = structuredClone({ object, ...(previous && { previous_attributes: previous }) });
      events.push({ id: nextId('evt'), object: 'event', created: seconds(), type, data } as Stripe.Event);
    },
    takeEvents: () => events.splice(0),
    seconds,
  };
}
