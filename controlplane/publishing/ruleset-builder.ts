import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';
import { type EncodedChunk, encodeChunks } from '../../shared/ruleset/ruleset-chunk.js';
import { SNAPSHOT_FORMAT, type SnapshotManifest } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { createRulesetReading, ReadingOutdated, type RulesetReading } from './ruleset-reading.js';
import type { RulesetRepository } from './ruleset-repository.js';

const LOG_INTERVAL_MS = 3_000;
/** Time for which a build stays in memory, compressed, after its last use. */
const KEPT_MS = 60_000;
/** A ruleset is built again when more than one in this many lines is outdated … */
const OUTDATED_DIVISOR = 4;
/** … and these lines are more than a chunk. */
const MIN_LINES_TO_REBUILD = 2_000;

/** A ruleset in chunks. A running build has its finished chunks, and no manifest. */
export interface BuiltRuleset {
  readonly manifest: SnapshotManifest;
  readonly chunks: readonly EncodedChunk[];
}

export interface BuildProgress {
  /** Redirects read so far. */
  readonly redirects: number;
  /** Number of redirects when the build began. */
  readonly of: number;
}

/**
 * Builds the ruleset in its transport form for all users in this process: one build at a time. A new attempt
 * continues where a failed one ended.
 */
export interface RulesetBuilder {
  /**
   * Builds the ruleset, or joins the running build.
   *
   * @param take gets each chunk in order, with the id of the ruleset, as soon as it is finished
   * @throws errors of the database, or of `take`
   */
  build(take?: TakeChunk): Promise<BuiltRuleset>;
  /** Undefined when nothing is built. */
  progress(): BuildProgress | undefined;
  /** Cancels the running build, which then fails. */
  stop(): void;
}

export type TakeChunk = (id: string, chunk: EncodedChunk, index: number) => Promise<void>;

export interface RulesetBuilderDeps {
  readonly repository: RulesetRepository;
  readonly logger: Logger;
}

/** Returns whether too many lines are outdated: later ones replace them. */
export function isToBeRebuilt({ outdated, count }: { outdated: number; count: number }): boolean {
  return outdated > MIN_LINES_TO_REBUILD && outdated * OUTDATED_DIVISOR > count;
}

/** A ruleset that is being built. Emits `growth` for each new chunk, and at the end of an attempt. */
class Build extends EventEmitter {
  readonly id = randomUUID();
  readonly chunks: EncodedChunk[] = [];
  readonly reading: RulesetReading;
  of: number | undefined;
  /** Whether no attempt is running. */
  isResting = false;
  /** Whether a part was read but could not be encoded. */
  isIncomplete = false;
  /** Number of lines in all chunks. */
  count = 0;

  constructor(
    private readonly repository: RulesetRepository,
    private readonly stopping: AbortSignal,
  ) {
    super();
    this.reading = createRulesetReading(repository);
  }

  /** Lines beyond one for each redirect and page of paths. */
  get appended(): number {
    return this.count - this.reading.redirectsRead - this.reading.pathPagesRead;
  }

  /** Brings it up to the head. */
  async advance(): Promise<BuiltRuleset> {
    this.isResting = false;
    this.of ??= await this.repository.count();
    let encoding: Promise<void> = Promise.resolve();
    try {
      for (;;) {
        this.stopping.throwIfAborted();
        const { changes, version } = await this.reading.next();
        await encoding;
        // The next part is read while this one is compressed.
        encoding = this.encode(changes);
        if (version === undefined) continue;
        await encoding;
        return { manifest: this.manifestOf(version), chunks: this.chunks.slice() };
      }
    } finally {
      await encoding;
      this.isResting = true;
      this.emit('growth');
    }
  }

  /** Passes all chunks in order, including later ones, until the attempt ends. */
  async handOn(take: TakeChunk): Promise<void> {
    for (let index = 0; ; index += 1) {
      if (index === this.chunks.length && !this.isResting) await once(this, 'growth');
      const chunk = this.chunks[index];
      if (chunk === undefined) return;
      await take(this.id, chunk, index);
    }
  }

  /** Reading is ahead of encoding, so a failure leaves the build incomplete for good. */
  private encode(changes: readonly RulesetChange[]): Promise<void> {
    const encoding = encodeChunks(changes).then(
      (chunks) => {
        for (const chunk of chunks) this.add(chunk);
      },
      (error: unknown) => {
        this.isIncomplete = true;
        throw error;
      },
    );
    // `advance` awaits it after the next part is read.
    encoding.catch(() => {});
    return encoding;
  }

  private add(chunk: EncodedChunk): void {
    this.chunks.push(chunk);
    this.count += chunk.lines;
    this.emit('growth');
  }

  private manifestOf(version: RulesetVersion): SnapshotManifest {
    const { id, count, appended } = this;
    const chunks = this.chunks.map(({ sha256 }) => sha256);
    return { format: SNAPSHOT_FORMAT, id, version, count, appended, chunks };
  }
}

export function createRulesetBuilder({ repository, logger }: RulesetBuilderDeps): RulesetBuilder {
  let current: Build | undefined;
  let underWay: { readonly build: Build; readonly done: Promise<BuiltRuleset> } | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  const stopping = new AbortController();

  async function advance(build: Build): Promise<BuiltRuleset> {
    const { reading } = build;
    const tell = () =>
      logger.info({ redirects: reading.redirectsRead, of: build.of }, 'building the ruleset');
    const telling = setInterval(tell, LOG_INTERVAL_MS);
    try {
      return await build.advance();
    } catch (error) {
      if (error instanceof ReadingOutdated || build.isIncomplete) current = undefined;
      throw error;
    } finally {
      clearInterval(telling);
      underWay = undefined;
      forgetLater();
    }
  }

  function forgetLater(): void {
    clearTimeout(forgetting);
    forgetting = setTimeout(() => {
      if (underWay === undefined) current = undefined;
    }, KEPT_MS);
    forgetting.unref();
  }

  function begin() {
    const isOld =
      current !== undefined && isToBeRebuilt({ outdated: current.appended, count: current.count });
    if (isOld) current = undefined;
    current ??= new Build(repository, stopping.signal);
    return { build: current, done: advance(current) };
  }

  async function attempt(take: TakeChunk | undefined): Promise<BuiltRuleset> {
    underWay ??= begin();
    const { build, done } = underWay;
    if (take === undefined) return done;
    const [built] = await Promise.all([done, build.handOn(take)]);
    return built;
  }

  return {
    async build(take) {
      try {
        return await attempt(take);
      } catch (error) {
        if (!(error instanceof ReadingOutdated)) throw error;
        logger.info({ reason: error.message }, 'building the ruleset anew');
        return attempt(take);
      }
    },
    progress() {
      const build = underWay?.build;
      return build?.of === undefined ? undefined : { redirects: build.reading.redirectsRead, of: build.of };
    },
    stop() {
      stopping.abort(new Error('the control plane is stopping'));
      clearTimeout(forgetting);
    },
  };
}
