import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { encodeChunks } from '../../shared/ruleset/ruleset-chunk.js';
import type { SnapshotManifest } from '../../shared/ruleset/ruleset-codec.js';
import { leadsOnFrom, type RulesetChange, type RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import { compareVersions, formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { RedisRulesetStore, SnapshotPlace } from './redis-ruleset-store.js';
import { isToBeRebuilt, type RulesetBuilder } from './ruleset-builder.js';
import { createRulesetReading, ReadingOutdated, type RulesetReading } from './ruleset-reading.js';
import type { RulesetRepository } from './ruleset-repository.js';

const SAY_INTERVAL_MS = 1_000;
const STARTING = 'beginning to build the ruleset';

/** Brings the snapshot in Redis to the head of the database. */
export interface RedisSnapshots {
  /**
   * Appends the changes since the snapshot to it, or writes a new one.
   *
   * @returns its version; undefined when another write was first
   */
  write(place: SnapshotPlace): Promise<RulesetVersion | undefined>;
}

export interface RedisSnapshotsDeps {
  readonly store: RedisRulesetStore;
  readonly repository: RulesetRepository;
  readonly builder: RulesetBuilder;
  readonly logger: Logger;
}

export function createRedisSnapshots({
  store,
  repository,
  builder,
  logger,
}: RedisSnapshotsDeps): RedisSnapshots {
  /** A snapshot that is not current yet: its build, its own id, and the number of written chunks. */
  let written: { readonly build: string; readonly id: string; chunks: number } | undefined;

  /** The number of lines of a snapshot when it was last compared with the database, and how many were outdated. */
  let compared: { readonly id: string; readonly lines: number; readonly outdated: number } | undefined;

  /**
   * Returns whether too many lines are outdated. Counts them again if many lines were appended since the last count.
   */
  async function isOutdated({ id, count, appended }: SnapshotManifest): Promise<boolean> {
    const known = compared?.id === id ? compared : { lines: count - appended, outdated: 0 };
    if (!isToBeRebuilt({ outdated: known.outdated + count - known.lines, count })) return false;
    compared = { id, lines: count, outdated: count - (await repository.countLines()) };
    return isToBeRebuilt({ outdated: compared.outdated, count });
  }

  /**
   * @param isInLog whether to copy the changes from the log, which already contains definitions
   * @returns the manifest of the longer snapshot; undefined when a new one is needed
   */
  async function lengthen(isInLog: boolean): Promise<SnapshotManifest | undefined> {
    const manifest = await store.readManifest();
    if (manifest === undefined) return undefined;
    const chunks = [];
    let lines = 0;
    const reading = isInLog
      ? createLogReading(store, manifest.version)
      : createRulesetReading(repository, manifest.version);
    for (;;) {
      const { changes, version } = await reading.next();
      chunks.push(...(await encodeChunks(changes)));
      lines += changes.length;
      const appended = manifest.appended + lines;
      const count = manifest.count + lines;
      if (await isOutdated({ ...manifest, count, appended })) return undefined;
      if (version === undefined) continue;
      const hashes = [...manifest.chunks, ...chunks.map(({ sha256 }) => sha256)];
      const longer = { ...manifest, version, count, appended, chunks: hashes };
      return (await store.lengthen(longer, chunks)) ? longer : undefined;
    }
  }

  async function build(): Promise<SnapshotManifest> {
    const { manifest } = await builder.build(async (build, chunk, index) => {
      if (written?.build !== build) written = { build, id: randomUUID(), chunks: 0 };
      // An earlier attempt has written it.
      if (index < written.chunks) return;
      await store.writeChunk(written.id, chunk, index);
      written.chunks = index + 1;
    });
    return { ...manifest, id: written?.id ?? randomUUID() };
  }

  async function saying<Result>(work: () => Promise<Result>): Promise<Result> {
    const say = () => void store.sayBuilding(describe()).catch(() => undefined);
    say();
    const timer = setInterval(say, SAY_INTERVAL_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await store.sayBuilt().catch(() => undefined);
    }
  }

  function describe(): string {
    const progress = builder.progress();
    return progress === undefined ? STARTING : `${progress.redirects} of ${progress.of} redirects`;
  }

  async function lengthenIfPossible(isInLog: boolean): Promise<SnapshotManifest | undefined> {
    try {
      return await lengthen(isInLog);
    } catch (error) {
      if (!(error instanceof ReadingOutdated)) throw error;
      return isInLog ? lengthenIfPossible(false) : undefined;
    }
  }

  async function writeNew(place: SnapshotPlace): Promise<RulesetVersion | undefined> {
    const startedMs = performance.now();
    const manifest = await build();
    const isWritten = await store.switchTo(manifest, place);
    // If Redis has lost chunks, the next attempt writes all of them.
    written = undefined;
    if (!isWritten) return undefined;
    const durationMs = Math.round(performance.now() - startedMs);
    const version = formatVersion(manifest.version);
    logger.info({ version, chunks: manifest.chunks.length, durationMs }, 'wrote the whole ruleset to Redis');
    return manifest.version;
  }

  return {
    async write(place) {
      // A large change takes longer than data planes wait for a heartbeat.
      const isShort = place === 'joins the log';
      const longer = await (isShort ? lengthenIfPossible(true) : saying(() => lengthenIfPossible(false)));
      if (longer === undefined) return saying(() => writeNew(place));
      logger.info(
        { version: formatVersion(longer.version) },
        'brought the ruleset snapshot in Redis up to date',
      );
      if (isShort || (await store.switchTo(longer, place))) return longer.version;
      // Redis has lost a chunk.
      return saying(() => writeNew(place));
    },
  };
}

/** Changes after which a part is full. */
const FULL_PART = 2_000;

/**
 * Reads the changes after a version from the log in Redis, which has their definitions. A part has the last change of each
 * host in it. The reading ends at the end of the log, which must reach the head of Redis: the log may have been lost.
 */
function createLogReading(
  store: Pick<RedisRulesetStore, 'readDeltas' | 'readHead'>,
  since: RulesetVersion,
): Pick<RulesetReading, 'next'> {
  let reached = since;
  let left: readonly RulesetDelta[] | undefined = [];
  let head: RulesetVersion | undefined;

  /** @throws {ReadingOutdated} when the log does not lead on to the head, or is damaged */
  async function nextDelta(): Promise<RulesetDelta | undefined> {
    // Read the head before the log, because other control planes may append to the log in between.
    head ??= await store.readHead();
    if (left?.length === 0) left = await store.readDeltas(reached);
    const [delta, ...rest] = left ?? [];
    const leadsOn =
      delta === undefined
        ? head !== undefined && compareVersions(reached, head) >= 0
        : leadsOnFrom(reached, delta);
    if (left === undefined || !leadsOn) {
      throw new ReadingOutdated('the log in Redis does not lead on from the snapshot');
    }
    left = rest;
    reached = delta?.version ?? reached;
    return delta;
  }

  return {
    async next() {
      const changes = new Map<string, RulesetChange>();
      while (changes.size < FULL_PART) {
        // Decoding a thousand changes takes milliseconds.
        await nextTurn();
        const delta = await nextDelta();
        if (delta === undefined) return { changes: [...changes.values()], version: reached };
        for (const change of delta.changes) changes.set(change.host, change);
      }
      return { changes: [...changes.values()] };
    },
  };
}
