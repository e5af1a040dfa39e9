import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisKeys } from '../../shared/ruleset/redis-keys.js';
import {
  decodeDelta,
  decodeManifest,
  hasCompressedChunks,
  parseIdentity,
  parseUnfinished,
  parseVersion,
  type SnapshotManifest,
  UnknownFormat,
} from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions, formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { ColdRedirects } from './cold/cold-redirects.js';
import { createRulesetIntake, type RulesetIntake, startWith } from './ruleset-intake.js';

/** Maximum number of deltas per read. */
const DELTAS_PER_PAGE = 100;
/** Lifetime of a control plane's heartbeat. The elapsed part of it is the heartbeat's age. */
const HEARTBEAT_STAYS_MS = 5_000;
/** Lifetime of the note to the control plane about an invalid snapshot. */
const REFUSAL_EXPIRY_S = 60;
/** Time between two looks for the next chunk of a snapshot that is being written. */
const CHUNK_WAIT_MS = 50;
/** Maximum looks in a row without a new chunk. Then the feed reads the signs of life again. */
const MOST_CHUNK_WAITS = 20;

export interface DeltaPage {
  /** Deltas in order, each after `since`. Some may be missing between them and `since`. */
  readonly deltas: readonly RulesetDelta[];
  /** Whether there may be more. */
  readonly isFull: boolean;
  /** Version up to which Redis has all changes; undefined when it is empty. */
  readonly head: RulesetVersion | undefined;
  /** The newest committed version, if a control plane has reported it within the last seconds. */
  readonly confirmed: RulesetVersion | undefined;
}

/** Signs that a control plane maintains the ruleset in Redis. */
export interface SignsOfLife {
  /** Milliseconds since a control plane last reported that Redis is up to date; undefined when that is long ago. */
  readonly heartbeatAgeMs: number | undefined;
  /** Progress of the control plane that writes a ruleset, in words. */
  readonly building: string | undefined;
}

/** Reads the data that the control plane writes to Redis. */
export interface RedisRuleset {
  readSigns(): Promise<SignsOfLife>;
  /** Ends before an invalid delta, which is reported to the control plane. */
  readAfter(since: RulesetVersion): Promise<DeltaPage>;
  /**
   * Reads the current snapshot. If there is none, reads the chunks of the next one that a control plane has written so
   * far, and waits for more for up to a second.
   *
   * @returns undefined if there is no complete snapshot
   * @throws if it is invalid, with the reason; the control plane gets a report
   */
  readSnapshot(): Promise<RulesetSnapshot<ColdRedirects> | undefined>;
}

/** The current snapshot and its manifest. */
interface KeptSnapshot {
  readonly id: string;
  readonly manifest: string;
  readonly version: RulesetVersion | undefined;
}

interface BegunSnapshot {
  readonly id: string;
  readonly isCompressed: boolean;
  readonly intake: RulesetIntake;
}

/**
 * @param onProblem called once for each invalid delta: a snapshot after it may exist already, and then nothing else
 * shows it. Also called for redirects of a snapshot that cannot be served
 * @param onProgress called with the share of a snapshot that was read
 */
export function createRedisRuleset(
  redis: Redis,
  keys: RedisKeys,
  onProblem: (problem: string) => void,
  onProgress: (progress: string) => void = () => {},
): RedisRuleset {
  /** A snapshot that was read in part, before an error or before its manifest was there. The next attempt continues. */
  let begun: BegunSnapshot | undefined;
  /** Id of a snapshot whose chunks were unusable before its manifest was there. */
  let unusableId: string | undefined;
  /** Its id in the log. It is read repeatedly until a snapshot after it exists. */
  let lastDamaged: string | undefined;
  const chunkKey = (id: string, index: number) => `${keys.chunks}${id}:${index}`;

  async function readKept(): Promise<KeptSnapshot | undefined> {
    const [id, manifest, epoch, seq] = await redis.hmget(keys.snapshot, 'id', 'manifest', 'epoch', 'seq');
    if (!id) return undefined;
    return { id, manifest: manifest ?? '', version: parseVersion(`${epoch}.${seq}`) };
  }

  /**
   * @returns a whole snapshot, or its fault
   * @throws when Redis does not answer; chunks that were read are not read again
   */
  async function readWhole({ id, manifest: text }: KeptSnapshot) {
    const manifest = attempt(() => decodeManifest(text));
    if (manifest instanceof Error) return manifest;
    if (manifest.id !== id) return new Error('its manifest is that of another one');
    const intake = intakeOf(id, hasCompressedChunks(manifest), manifest.chunks);
    const fault = await readChunks(manifest, intake);
    begun = undefined;
    return fault ?? attempt(() => intake.end(manifest));
  }

  /** @param known SHA-256 of all chunks, once there is a manifest. An intake with other chunks is replaced */
  function intakeOf(id: string, isCompressed: boolean, known?: readonly string[]): RulesetIntake {
    const isThis = begun?.id === id && begun.isCompressed === isCompressed;
    if (begun === undefined || !isThis || (known && !startWith(known, begun.intake.chunks))) {
      begun = { id, isCompressed, intake: createRulesetIntake(isCompressed, onProblem) };
    }
    return begun.intake;
  }

  /**
   * Takes in the chunks of a snapshot that a control plane is writing. They are not served: only the manifest shows
   * whether they belong to a ruleset, and to which version.
   */
  async function readUnfinished(): Promise<void> {
    for (let waits = 0; waits < MOST_CHUNK_WAITS; ) {
      const [unfinished, hasSnapshot] = await Promise.all([
        redis.get(keys.unfinishedSnapshot),
        redis.exists(keys.snapshot),
      ]);
      const id = parseUnfinished(unfinished ?? '');
      // Another control plane may have finished its snapshot first.
      if (hasSnapshot > 0 || id === undefined || id === unusableId) return;
      const intake = intakeOf(id, true);
      const bytes = await redis.getBuffer(chunkKey(id, intake.chunks.length));
      if (bytes === null) {
        waits += 1;
        await pause(CHUNK_WAIT_MS);
        continue;
      }
      waits = 0;
      const fault = await intake.take(bytes).then(() => undefined, asFault);
      if (fault !== undefined) {
        unusableId = id;
        begun = undefined;
        return;
      }
      onProgress(`read ${intake.chunks.length} parts of the ruleset that the control plane builds`);
    }
  }

  /** @returns the fault of the chunks, if any */
  async function readChunks({ id, chunks }: SnapshotManifest, intake: RulesetIntake) {
    const read = (index: number) => redis.getBuffer(chunkKey(id, index));
    let next = chunks.length > intake.chunks.length ? read(intake.chunks.length) : undefined;
    while (next !== undefined) {
      const bytes = await next;
      if (bytes === null) return new Error('a chunk of it is missing');
      // The next chunk is read while this one is applied. Its error appears when it is awaited.
      const index = intake.chunks.length + 1;
      next = index < chunks.length ? read(index) : undefined;
      next?.catch(() => undefined);
      const fault = await intake.take(bytes, chunks[index - 1]).then(() => undefined, asFault);
      if (fault !== undefined) return fault;
      onProgress(`read ${index} of ${chunks.length} parts of the ruleset`);
    }
    return undefined;
  }

  /** Requests a new snapshot from the control plane, because this one is unusable. */
  async function refuse(id: string): Promise<void> {
    await redis.set(keys.refusedSnapshot, id, 'EX', REFUSAL_EXPIRY_S);
  }

  /**
   * Requests a snapshot that begins after a damaged delta, unless there is one. Only such a snapshot leads past the
   * damage.
   */
  async function refuseBefore(damaged: RulesetVersion): Promise<void> {
    const kept = await readKept();
    if (kept === undefined) return;
    const leadsPast = kept.version !== undefined && compareVersions(kept.version, damaged) >= 0;
    if (!leadsPast) await refuse(kept.id);
  }

  async function takeDamage(entryId: string, fault: Error): Promise<void> {
    const version = versionOf(entryId);
    if (entryId !== lastDamaged) {
      lastDamaged = entryId;
      onProblem(`refused the change ${formatVersion(version)} in Redis: ${fault.message}`);
    }
    await refuseBefore(version);
  }

  return {
    async readSigns() {
      const [staysMs, building] = await Promise.all([redis.pttl(keys.heartbeat), redis.get(keys.building)]);
      const heartbeatAgeMs = staysMs < 0 ? undefined : Math.max(0, HEARTBEAT_STAYS_MS - staysMs);
      return { heartbeatAgeMs, building: building ?? undefined };
    },

    async readAfter({ epoch, seq }) {
      // A reader of the log needs no snapshot.
      begun = undefined;
      // Sent together and answered in this order, so the deltas are never older than the head that is read with them.
      const [confirmed, identity, head, entries] = await Promise.all([
        redis.get(keys.heartbeat),
        redis.get(keys.identity),
        redis.get(keys.head),
        redis.xrange(keys.log, `(${epoch}-${seq}`, '+', 'COUNT', DELTAS_PER_PAGE),
      ]);
      const deltas: RulesetDelta[] = [];
      for (const [entryId, fields] of entries) {
        // A delta has up to a thousand changes, so visitors are answered in between.
        if (deltas.length > 0) await nextTurn();
        const delta = attempt(() => decodeDelta(fields[3] ?? ''));
        if (delta instanceof Error) {
          if (isDamage(delta)) await takeDamage(entryId, delta);
          break;
        }
        deltas.push(delta);
      }
      const isFull = deltas.length === DELTAS_PER_PAGE;
      return { deltas, isFull, head: identified(head, identity), confirmed: identified(confirmed, identity) };
    },

    async readSnapshot() {
      let kept = await readKept();
      if (kept === undefined) {
        await readUnfinished();
        kept = await readKept();
      }
      if (kept === undefined) return undefined;
      const snapshot = await readWhole(kept);
      if (!(snapshot instanceof Error)) return snapshot;
      if ((await readKept())?.id !== kept.id) throw new Error('the snapshot was replaced while it was read');
      if (isDamage(snapshot)) await refuse(kept.id);
      throw new Error(`refused the snapshot in Redis: ${snapshot.message}`);
    },
  };
}

/** Returns the version in `text`, with the lineage in `identity`. */
function identified(text: string | null, identity: string | null): RulesetVersion | undefined {
  const version = parseVersion(text ?? '');
  const known = parseIdentity(identity ?? '');
  if (version === undefined || known === undefined) return version;
  return compareVersions(version, known) === 0 ? known : version;
}

/** Returns the resulting version of a delta, from its id in the log. */
function versionOf(entryId: string): RulesetVersion {
  const [epoch, seq] = entryId.split('-').map(Number);
  return { epoch: epoch ?? 0, seq: seq ?? 0 };
}

/** Returns whether writing the data again could help. It does not help with a format of a newer release. */
function isDamage(fault: Error): boolean {
  return !(fault instanceof UnknownFormat);
}

/** Returns the result of `decode`, or the reason of its failure. */
function attempt<T extends object>(decode: () => T): T | Error {
  try {
    return decode();
  } catch (error) {
    return asFault(error);
  }
}

function asFault(error: unknown): Error {
  // The error's message would quote the data.
  if (error instanceof SyntaxError) return new Error('it is no JSON');
  return error instanceof Error ? error : new Error(String(error));
}
