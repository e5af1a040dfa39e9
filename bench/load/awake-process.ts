import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const SLICE_MS = 5;

// Keeps a core busy with nothing, for as long as nobody else wants it: see awake-cores.ts.
process.on('disconnect', () => process.exit(0));
setPriority(constants.priority.PRIORITY_LOW);
lowerGroup();
spin();

/** Linux shares a core out among sessions first, of which this process is one, and then within each (autogroups). */
function lowerGroup(): void {
  try {
    writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW));
  } catch {
    // There are no such groups here.
  }
}

function spin(): void {
  const endsAtMs = performance.now() + SLICE_MS;
  while (performance.now() < endsAtMs);
  setImmediate(spin);
}
