import { describe, expect, it } from 'vitest';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { createRulesetDelivery } from './redis-delivery.js';

const EPOCH = 100;

function startDelivery(known?: RulesetVersion) {
  const told: string[] = [];
  const delivery = createRulesetDelivery(
    {
      onSnapshot: ({ version }) => told.push(`snapshot ${formatVersion(version)}`),
      onDelta: ({ previousSeq, version }: RulesetDelta) =>
        told.push(`${previousSeq} to ${formatVersion(version)}`),
      onHead() {},
      onProblem() {},
    },
    known,
  );
  const snapshot = (epoch: number, seq: number) =>
    delivery.deliverSnapshot({ version: { epoch, seq }, redirects: [] });
  const delta = (epoch: number, previousSeq: number, seq: number) =>
    delivery.deliverDelta({ version: { epoch, seq }, previousSeq, changes: [] });
  return { delivery, told, snapshot, delta };
}

describe('a delivery', () => {
  it('wants a snapshot first, and none once it has delivered one', () => {
    const { delivery, told, snapshot, delta } = startDelivery();
    expect(delta(EPOCH, 0, 1)).toBe(false);
    expect(delivery.wantsSnapshot).toBe(true);
    expect(snapshot(EPOCH, 5)).toBe(true);
    expect(delivery.wantsSnapshot).toBe(false);
    expect(told).toEqual(['snapshot 100.5']);
  });

  it('hands on a delta that began before what was delivered as one that begins there', () => {
    const { told, snapshot, delta } = startDelivery();
    snapshot(EPOCH, 5);
    expect(delta(EPOCH, 3, 8)).toBe(true);
    expect(delta(EPOCH, 8, 9)).toBe(true);
    expect(told.slice(1)).toEqual(['5 to 100.8', '8 to 100.9']);
  });

  it.each([
    { name: 'leaves a gap', epoch: EPOCH, previousSeq: 6, seq: 7 },
    { name: 'is of a new epoch', epoch: EPOCH + 1, previousSeq: 5, seq: 6 },
  ])('hands no delta on that $name', ({ epoch, previousSeq, seq }) => {
    const { told, snapshot, delta } = startDelivery();
    snapshot(EPOCH, 5);
    expect(delta(epoch, previousSeq, seq)).toBe(false);
    expect(told).toEqual(['snapshot 100.5']);
  });

  it('takes a version that the listener brought along only from where it ends: its history may be lost', () => {
    const { told, delta } = startDelivery({ epoch: EPOCH, seq: 5 });
    expect(delta(EPOCH, 3, 8)).toBe(false);
    expect(delta(EPOCH, 5, 8)).toBe(true);
    // From here on it is known that the history is the same.
    expect(delta(EPOCH, 7, 9)).toBe(true);
    expect(told).toEqual(['5 to 100.8', '8 to 100.9']);
  });

  it('takes no delta of another history than that of the version that the listener brought along', () => {
    const lineage = (commit: string) => `aaaaaaaaaaaa-${commit.repeat(12)}`;
    const { delivery, told } = startDelivery({ epoch: EPOCH, seq: 5, lineage: lineage('1') });
    const version = { epoch: EPOCH, seq: 6, lineage: lineage('3') };
    const other = { version, previousSeq: 5, previousLineage: lineage('2'), changes: [] };
    expect(delivery.deliverDelta(other)).toBe(false);
    expect(delivery.deliverDelta({ ...other, previousLineage: lineage('1') })).toBe(true);
    expect(told).toEqual(['5 to 100.6']);
  });

  it('skips deltas that were delivered, and refuses snapshots that are older', () => {
    const { told, snapshot, delta } = startDelivery();
    snapshot(EPOCH, 5);
    expect(delta(EPOCH, 4, 5)).toBe(true);
    expect(delta(EPOCH - 1, 5, 600)).toBe(true);
    expect(snapshot(EPOCH, 4)).toBe(false);
    expect(snapshot(EPOCH - 1, 600)).toBe(false);
    expect(told).toEqual(['snapshot 100.5']);
  });

  it('delivers a snapshot of the same version again when one was asked for', () => {
    const { delivery, told, snapshot } = startDelivery();
    snapshot(EPOCH, 5);
    delivery.wantSnapshot();
    expect(delivery.isDelivered({ epoch: EPOCH, seq: 5 })).toBe(false);
    expect(snapshot(EPOCH, 5)).toBe(true);
    expect(delivery.isDelivered({ epoch: EPOCH, seq: 5 })).toBe(true);
    expect(told).toHaveLength(2);
  });

  it('delivers nothing after its end', () => {
    const { delivery, told, snapshot, delta } = startDelivery();
    snapshot(EPOCH, 5);
    delivery.stop();
    delta(EPOCH, 5, 6);
    snapshot(EPOCH, 7);
    expect(told).toEqual(['snapshot 100.5']);
  });
});
