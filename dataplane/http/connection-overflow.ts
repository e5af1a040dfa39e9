import type { TemplatedApp } from 'uWebSockets.js';

/** Default of `MAX_KEPT_CONNECTIONS`. */
const MAX_KEPT = 2_500;
/** Share of the maximum at which connections are kept again. */
const KEEP_AGAIN_BELOW = 0.9;
/** Number of parts of an overflow. */
const PARTS = 4;
/** Maximum number of connections in each part. */
const MAX_PER_PART = 256;

/** Connections of a process that stay open after an answer. All its ports share one count. */
export interface KeptConnections {
  count: number;
  /** Each may hold 32 KiB of an unfinished head. */
  readonly max: number;
  /** Maximum number of connections in each part of an overflow. */
  readonly maxPerPart: number;
}

export function createKeptConnections(max = MAX_KEPT, maxPerPart = MAX_PER_PART): KeptConnections {
  return { count: 0, max, maxPerPart };
}

/** A server without a port: it answers connections that another one accepts, and ends each with its first answer. */
export interface OverflowPart {
  readonly app: TemplatedApp;
  /** Returns whether it has loaded its maximum number of certificates. */
  isFull(): boolean;
  /** Forgets the certificates it has loaded. Must be called only while it has no connection. */
  forget(): void;
}

export interface OverflowDeps {
  readonly acceptor: TemplatedApp;
  /** @param onChange called with 1 for a connection that opens, and with -1 for one that closes */
  readonly createPart: (onChange: (change: number) => void) => OverflowPart;
  readonly kept: KeptConnections;
  /** Closes connections by calling `close`. */
  readonly cut: (close: () => void) => void;
}

/**
 * Bounds the memory of connections. The addon buffers unfinished heads. It reports neither the amount nor the
 * connection. Once the maximum of kept connections is open, new ones go to parts of this overflow, where each ends with
 * its first answer. So a connection that stays in a part has sent no whole request. When a part is full, the next one
 * takes over, and closes the connections that it still has from its last turn. These are the oldest.
 */
export interface Overflow {
  /** Must be called after each change of `kept`. */
  keptChanged(): void;
  /** Closes all connections of the overflow. */
  close(): void;
}

interface CountedPart extends OverflowPart {
  connections: number;
}

/** Methods that the addon has and its types lack. A descriptor names an app; a child takes what another app accepts. */
interface ChildApps {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

export function createOverflow({ acceptor, createPart, kept, cut }: OverflowDeps): Overflow {
  const parts: CountedPart[] = [];
  let turn = 0;
  /** The part that takes new connections; undefined while they are kept. */
  let current: CountedPart | undefined;

  function partAt(index: number): CountedPart {
    const known = parts[index];
    if (known !== undefined) return known;
    const part: CountedPart = { ...createPart((change) => changed(part, change)), connections: 0 };
    parts[index] = part;
    return part;
  }

  function direct(to: CountedPart | undefined): void {
    const children = asChildApps(acceptor);
    if (current !== undefined) children.removeChildAppDescriptor(asChildApps(current.app).getDescriptor());
    if (to !== undefined) children.addChildAppDescriptor(asChildApps(to.app).getDescriptor());
    current = to;
  }

  function changed(part: CountedPart, change: number): void {
    part.connections += change;
    if (change < 0) return;
    if (part === current && (part.connections >= kept.maxPerPart || part.isFull())) takeTurns();
    keptChanged();
  }

  function takeTurns(): void {
    turn = (turn + 1) % PARTS;
    const next = partAt(turn);
    if (next.connections > 0) cut(() => next.app.close());
    if (next.connections === 0) next.forget();
    direct(next);
  }

  function keptChanged(): void {
    if (current === undefined && kept.count >= kept.max) direct(partAt(turn));
    else if (current !== undefined && kept.count < kept.max * KEEP_AGAIN_BELOW) direct(undefined);
  }

  return {
    keptChanged,
    close() {
      for (const { app } of parts) app.close();
    },
  };
}

function asChildApps(app: TemplatedApp): ChildApps {
  return app as unknown as ChildApps;
}
