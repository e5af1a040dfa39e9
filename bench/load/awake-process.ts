import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

interface Turns {
  /** One Int32: the side whose turn it is, 0 or 1. */
  readonly shared: SharedArrayBuffer;
  /** The side to wait for. */
  readonly other: 0 | 1;
}

// Keeps a core busy without useful work until another process needs it: see awake-cores.ts.
if (isMainThread) startTurns();
else takeTurns(workerData);

function startTurns(): void {
  process.on('disconnect', () => process.exit(0));
  setPriority(constants.priority.PRIORITY_LOW);
  lowerGroup();
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  for (const other of [0, 1] as const) {
    const turns: Turns = { shared, other };
    new Worker(new URL(import.meta.url), { workerData: turns });
  }
}

/** Linux shares a core out among sessions first, of which this process is one, and then within each (autogroups). */
function lowerGroup(): void {
  try {
    writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW));
  } catch {
    // This system has no autogroups.
  }
}

/** Alternates with the other thread. Each switch lets a process that waits for the core run. */
function takeTurns({ shared, other }: Turns): void {
  const turn = new Int32Array(shared);
  for (;;) {
    Atomics.wait(turn, 0, other);
    Atomics.store(turn, 0, other);
    Atomics.notify(turn, 0);
  }
}
