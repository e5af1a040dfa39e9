import { pino } from 'pino';
import { createManualClock } from './clock.fixture.js';
import { hostsIn } from './cold/listed.fixture.js';
import { createTestTable } from './ruleset-table.fixture.js';
import { createScriptedFeed } from './scripted-feed.fixture.js';
import type { SavedSnapshot } from './snapshot-file.js';
import { createSynchronizer } from './synchronizer.js';

/** A started synchronizer with a scripted feed, a clock that tests advance, and fixed jitter. */
export function startSynchronizer(saved?: SavedSnapshot) {
  const feed = createScriptedFeed();
  const clock = createManualClock();
  const table = createTestTable();
  const changes: string[] = [];
  const warnings: string[] = [];
  const synchronizer = createSynchronizer({
    feed,
    table,
    clock,
    onChange: () => changes.push(table.versionText),
    logger: pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) }),
    random: () => 0.5,
  });
  synchronizer.start(saved);
  return {
    feed,
    clock,
    table,
    synchronizer,
    /** The versions that were announced as changes. */
    changes,
    /** Logged warnings and errors. */
    warnings,
    state: () => synchronizer.status().state,
    hosts: () => hostsIn(table.current()?.redirects ?? []),
  };
}
