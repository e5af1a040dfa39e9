import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { compareVersions, formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { redirectOf } from './redirect-definition.fixture.js';
import { startSynchronizer } from './synchronizer.fixture.js';

type Served = ReadonlyMap<string, RedirectDefinition>;
type Message = (feed: ReturnType<typeof startSynchronizer>['feed']) => void;

const HOSTS = ['a.example', 'b.example', 'c.example', 'd.example'];

const change = fc.record({ host: fc.constantFrom(...HOSTS), target: fc.option(fc.nat(5)) });

/** What can happen to a data plane; numbers pick one of the messages under way. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      changes: fc.uniqueArray(change, { selector: ({ host }) => host, minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('deliver' as const, 'repeat' as const, 'lose' as const),
      at: fc.nat(20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('sendSnapshot' as const, 'sendHead' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), commitsBack: fc.nat(3) }) },
);

/** The control plane as far as it matters here: the truth, and the messages on their way. */
function createHistory() {
  let version: RulesetVersion = { epoch: 1, seq: 0 };
  let served: Served = new Map();
  const past = new Map<string, Served>([[formatVersion(version), served]]);
  const underWay: Message[] = [];

  function become(nextVersion: RulesetVersion, next: Served): void {
    version = nextVersion;
    served = next;
    past.set(formatVersion(version), served);
  }

  function snapshot(): Message {
    const { epoch, seq } = version;
    const redirects = [...served.values()];
    return (feed) => feed.snapshot(epoch, seq, redirects);
  }

  return {
    underWay,
    at: (text: string) => past.get(text),
    version: () => version,
    snapshot,
    sendSnapshot: () => underWay.push(snapshot()),
    sendHead() {
      const { epoch, seq } = version;
      underWay.push((feed) => feed.head(epoch, seq));
    },
    commit(changes: readonly { host: string; target: number | null }[]) {
      const next = new Map(served);
      const rulesetChanges = changes.map(({ host, target }) => {
        const redirect =
          target === null ? null : redirectOf(host, { destination: `https://${target}.example` });
        if (redirect === null) next.delete(host);
        else next.set(host, redirect);
        return { host, redirect };
      });
      const { epoch, seq } = version;
      underWay.push((feed) => feed.delta(epoch, seq, seq + 1, rulesetChanges));
      become({ epoch, seq: seq + 1 }, next);
    },
    /** The database comes back from a backup, some commits ago, under a new epoch. */
    restore(commitsBack: number) {
      const seq = Math.max(0, version.seq - commitsBack);
      const then = past.get(formatVersion({ epoch: version.epoch, seq })) ?? new Map();
      become({ epoch: version.epoch + 1, seq }, then);
    },
  };
}

function servedBy({ table }: ReturnType<typeof startSynchronizer>): Served {
  return new Map(Array.from(table.current()?.redirects ?? [], (redirect) => [redirect.host, redirect]));
}

function sameServed(one: Served | undefined, other: Served): boolean {
  if (one?.size !== other.size) return false;
  return [...other].every(([host, redirect]) => one.get(host)?.destination === redirect.destination);
}

describe('a synchronizer whose messages get lost, repeated and reordered', () => {
  it('never goes back, never serves a mix and ends with the truth', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 60, size: 'max' }), (startsLive, steps) => {
        const history = createHistory();
        const dataplane = startSynchronizer();
        let last: RulesetVersion | undefined;
        if (startsLive) history.snapshot()(dataplane.feed);

        function check(): void {
          const { version, versionText } = dataplane.table;
          if (version === undefined) return;
          if (last !== undefined && compareVersions(version, last) < 0) throw new Error('it went back');
          last = version;
          if (!sameServed(history.at(versionText), servedBy(dataplane))) {
            throw new Error(`it serves what never was ${versionText}`);
          }
        }

        for (const one of steps) {
          if (one.kind === 'commit') history.commit(one.changes);
          else if (one.kind === 'sendSnapshot') history.sendSnapshot();
          else if (one.kind === 'sendHead') history.sendHead();
          else if (one.kind === 'restore') history.restore(one.commitsBack);
          else if ('at' in one && history.underWay.length > 0) {
            const at = one.at % history.underWay.length;
            const message = history.underWay[at]!;
            if (one.kind !== 'repeat') history.underWay.splice(at, 1);
            if (one.kind !== 'lose') message(dataplane.feed);
          }
          check();
        }

        history.snapshot()(dataplane.feed);
        check();
        if (formatVersion(history.version()) !== dataplane.table.versionText) throw new Error('it is behind');
        if (dataplane.state() !== 'live') throw new Error(`it is ${dataplane.state()}`);
        for (const late of history.underWay) late(dataplane.feed);
        check();
        return formatVersion(history.version()) === dataplane.table.versionText;
      }),
      { numRuns: 1_000 },
    );
  });
});
