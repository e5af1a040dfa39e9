import type { Logger } from 'pino';
import {
  ANY_LOSS,
  describeRuleset,
  type RulesetSize,
  whyNotReplaced,
} from '../../shared/ruleset/replacement.js';
import { compareVersions, formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { Queryable } from '../storage/postgres/database.js';
import type { RulesetHistory } from './ruleset-history.js';

/** Remedies for an operator when the database lacks the served ruleset. */
export const WAYS_ON =
  'Stop, restore a backup (npm run restore -- FILE, or put a backup of DATA_DIR or of the database back), and start again. Or start once with --accept-empty-database to serve what the database holds.';

/** A ruleset that is served, or stored to be served. */
export interface ServedRuleset {
  /** Name in messages, such as "the ruleset in Redis". */
  readonly place: string;
  readonly version: RulesetVersion;
  /** Called only when it matters. */
  readonly hosts: () => Promise<number>;
}

/** A new epoch: the newest ruleset before it, and its own. */
export interface BegunEpoch {
  readonly previous: RulesetVersion;
  readonly head: RulesetVersion;
}

/** Publishing is refused, because served rulesets would be lost. `message` is for an operator. */
export class PublicationRefused extends Error {
  override name = 'PublicationRefused';
}

/** Prevents that a restored, damaged, emptied or wrong database erases the served rulesets. */
export interface PublicationGuard {
  /** Reason for operators why nothing is published; undefined while publishing is allowed. */
  readonly refusal: string | undefined;
  /**
   * Compares the database with the ruleset of `served`. Begins a new epoch if the database lacks commits that are
   * served.
   *
   * @throws {PublicationRefused} when the database may not replace it; `refusal` says so until this place passes
   */
  admit(served: ServedRuleset): Promise<void>;
  /** Notes that this place has nothing that could be lost. */
  clear(place: string): void;
  /** Runs `begin` once, as soon as publishing is allowed. */
  onceAllowed(begin: () => void): void;
  /**
   * Begins a new epoch beyond all known versions, on an operator's order. It may replace any ruleset.
   *
   * @param note called in the transaction
   */
  beginEpoch(note: (tx: Queryable, epoch: BegunEpoch) => Promise<void>): Promise<BegunEpoch>;
  /** Does the same as `admit`, for the ruleset of one data plane, which never blocks publishing. */
  overtake(served: Omit<ServedRuleset, 'hosts'>): Promise<void>;
}

export interface PublicationGuardDeps {
  readonly history: RulesetHistory;
  /** Whether an operator has allowed the database to replace any ruleset, at the start. */
  readonly acceptsAnyLoss: boolean;
  readonly logger: Logger;
}

export function createPublicationGuard({
  history,
  acceptsAnyLoss,
  logger,
}: PublicationGuardDeps): PublicationGuard {
  /** Refused replacements by place. */
  const refused = new Map<string, { readonly reason: string; readonly version: RulesetVersion }>();
  let awaiting: (() => void)[] = [];

  function allow(place: string): void {
    refused.delete(place);
    if (refused.size > 0) return;
    const begin = awaiting;
    awaiting = [];
    for (const run of begin) run();
  }

  function refuse({ place, version }: ServedRuleset, served: RulesetSize, why: string): never {
    const reason = `Nothing is published, and ${place}, ${describeRuleset(served)}, stays as it is: the database must not replace it, because ${why}. ${WAYS_ON}`;
    if (refused.get(place)?.reason !== reason) logger.error(reason);
    refused.set(place, { reason, version });
    throw new PublicationRefused(reason);
  }

  async function begin(place: string, beyond: RulesetVersion, loss: number, because: string): Promise<void> {
    const head = await history.beginEpoch(beyond, loss);
    logger.warn(
      { place, served: formatVersion(beyond), head: formatVersion(head) },
      `${because}: a new epoch begins, and what the database does not hold is no longer served`,
    );
  }

  async function admit(served: ServedRuleset): Promise<void> {
    const { place, version } = served;
    const { relation, head } = await history.relationOf(version);
    const isOwn = version.lineage !== undefined || version.epoch === head.epoch;
    if (relation === 'known' && isOwn) {
      allow(place);
      return;
    }
    const size = { version, hosts: await served.hosts() };
    const own = { version: head, hosts: await history.countHosts() };
    const why = whyNotReplaced(size, own);
    if (why !== undefined && !acceptsAnyLoss) refuse(served, size, why);
    if (why !== undefined) {
      const { epoch } = compareVersions(head, version) > 0 ? head : version;
      await begin(
        place,
        { ...version, epoch },
        ANY_LOSS,
        `an operator accepts that ${place} is lost (${why})`,
      );
    } else if (relation !== 'known' && compareVersions(version, head) >= 0) {
      await begin(place, version, 0, `${place} has commits that the database does not have`);
    } else if (relation === 'diverged') {
      await begin(place, version, 0, `${place} has another history than the database`);
    }
    allow(place);
  }

  return {
    get refusal() {
      for (const { reason } of refused.values()) return reason;
      return undefined;
    },
    admit,
    clear: allow,
    onceAllowed(run) {
      if (refused.size > 0) awaiting.push(run);
      else run();
    },
    async overtake({ place, version }) {
      const { relation, head } = await history.relationOf(version);
      if (relation === 'diverged' || (relation !== 'known' && compareVersions(version, head) >= 0)) {
        await begin(place, version, 0, `${place} has commits that the database does not have`);
      }
    },
    async beginEpoch(note) {
      const { head: previous } = await history.relationOf({ epoch: 0, seq: 0 });
      const seen = [previous, ...[...refused.values()].map(({ version }) => version)];
      const removals = Math.max(...seen.map((version) => version.removals ?? 0));
      const epoch = Math.max(...seen.map((version) => version.epoch));
      const beyond = { epoch, seq: 0, removals };
      const head = await history.beginEpoch(beyond, ANY_LOSS, (tx, begun) =>
        note(tx, { previous, head: begun }),
      );
      for (const place of [...refused.keys()]) allow(place);
      logger.warn(
        { previous: formatVersion(previous), head: formatVersion(head) },
        'an operator began a new epoch',
      );
      return { previous, head };
    },
  };
}
