import { setImmediate as turnEnd } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createManualClock } from './clock.fixture.js';
import { captured } from './cold/listed.fixture.js';
import type { DiskSnapshot } from './disk-snapshot.js';
import { createSnapshotSaver } from './snapshot-saver.js';

/** A disk whose saves end when the test says so; the real one cannot be held up or made to fail. */
function startSaver(sizeBytes = 0) {
  const saves: { seq: number; end: (error?: Error) => void }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const disk: DiskSnapshot = {
    load: async () => ({ outcome: 'absent' }),
    save({ version }) {
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      return new Promise((resolve, reject) => {
        const end = (error?: Error): void => {
          atOnce -= 1;
          if (error === undefined) resolve(sizeBytes);
          else reject(error);
        };
        saves.push({ seq: version.seq, end });
      });
    },
  };
  const clock = createManualClock();
  let seq = 0;
  const current = () => captured({ version: { epoch: 1, seq }, redirects: [] });
  const saver = createSnapshotSaver({ disk, current, clock, logger: pino({ level: 'silent' }) });
  return {
    saver,
    clock,
    saves,
    saved: () => saves.map((save) => save.seq),
    mostAtOnce: () => mostAtOnce,
    change() {
      seq += 1;
      saver.changed();
    },
  };
}

describe('the snapshot saver', () => {
  it('saves once, a second after the last of several changes', () => {
    const { change, clock, saved } = startSaver();
    change();
    clock.advance(900);
    change();
    clock.advance(999);
    expect(saved()).toEqual([]);
    clock.advance(1);
    expect(saved()).toEqual([2]);
  });

  it('waits no longer than five seconds while changes go on', () => {
    const { change, clock, saved } = startSaver();
    for (let i = 0; i < 10; i++) {
      change();
      clock.advance(500);
    }
    expect(saved()).toEqual([10]);
  });

  it('waits no longer when the clock is set back meanwhile', () => {
    const { change, clock, saved } = startSaver();
    for (let i = 0; i < 10; i++) {
      change();
      clock.jump(-60_000);
      clock.advance(500);
    }
    expect(saved()).toEqual([10]);
  });

  it('never saves twice at a time and does not forget a change made meanwhile', async () => {
    const { change, clock, saved, saves, mostAtOnce } = startSaver();
    change();
    clock.advance(1_000);
    change();
    clock.advance(60_000);
    expect(saved()).toEqual([1]);
    saves[0]!.end();
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
    clock.advance(300_000);
    expect(saved()).toEqual([1, 2]);
    expect(mostAtOnce()).toBe(1);
  });

  it('leaves the disk alone after a large save for as long as 2 MiB a second would take', async () => {
    const { change, clock, saved, saves } = startSaver(120 * 1024 * 1024);
    change();
    clock.advance(1_000);
    change();
    saves[0]!.end();
    await turnEnd();
    clock.advance(1_000);
    change();
    clock.advance(58_999);
    expect(saved()).toEqual([1]);
    clock.advance(1);
    expect(saved()).toEqual([1, 3]);
  });

  it('leaves a slow disk alone for ten times as long as it took', async () => {
    const { change, clock, saved, saves } = startSaver();
    change();
    clock.advance(1_000);
    clock.advance(2_000);
    change();
    saves[0]!.end();
    await turnEnd();
    clock.advance(1_000);
    change();
    clock.advance(18_999);
    expect(saved()).toEqual([1]);
    clock.advance(1);
    expect(saved()).toEqual([1, 3]);
  });

  it('does not wait for the rest to end when it flushes', async () => {
    const { change, clock, saved, saves, saver } = startSaver(120 * 1024 * 1024);
    change();
    clock.advance(1_000);
    saves[0]!.end();
    change();
    const flushed = saver.flush();
    await vi.waitFor(() => expect(saved()).toEqual([1, 2]));
    saves[1]!.end();
    await flushed;
    expect(clock.pending()).toBe(0);
  });

  it('tries again after a failure', async () => {
    const { change, clock, saved, saves } = startSaver();
    change();
    clock.advance(1_000);
    saves[0]!.end(new Error('disk full'));
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
    clock.advance(5_000);
    expect(saved()).toEqual([1, 1]);
  });

  it('flushes what is not saved yet, after the save that is under way', async () => {
    const { change, clock, saved, saves, saver, mostAtOnce } = startSaver();
    change();
    clock.advance(1_000);
    change();
    const flushed = saver.flush();
    saves[0]!.end();
    await vi.waitFor(() => expect(saved()).toEqual([1, 2]));
    saves[1]!.end();
    await flushed;
    expect(mostAtOnce()).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it('flushes without a save when nothing has changed, and gives up when the disk fails', async () => {
    const { change, saved, saves, saver, clock } = startSaver();
    await saver.flush();
    expect(saved()).toEqual([]);
    change();
    const flushed = saver.flush();
    await vi.waitFor(() => expect(saved()).toEqual([1]));
    saves[0]!.end(new Error('disk full'));
    await flushed;
    expect(clock.pending()).toBe(0);
  });
});
