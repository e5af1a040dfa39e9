import { createHash } from 'node:crypto';
import { pipeline as connect, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGunzip, createGzip } from 'node:zlib';
import { encodeDocument, formatDigest, MAX_DOCUMENT_BYTES } from '../../shared/ruleset/ruleset-document.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { ContentCoding } from './content-coding.js';
import type { RulesetRepository } from './ruleset-repository.js';

/** Level 6 takes three times as long for a twentieth less. */
const GZIP_LEVEL = 2;
const BROTLI_QUALITY = 4;
const LONG_TO_MAKE_MS = 1_000;

/** A ruleset as it is sent. Held compressed only. */
export interface RulesetDocument {
  readonly version: RulesetVersion;
  /** Of the document without any coding, as the header has it. */
  readonly digest: string;
  /** The whole document in one coding. Made once where it is compressed, and along the way where it is not. */
  body(coding: ContentCoding): Promise<Buffer | Readable>;
}

/** The newest ruleset, encoded once for all who ask for it. */
export interface RulesetDocuments {
  readHead(): Promise<RulesetVersion>;
  /**
   * The document of `head`, or one that is some commits older: while one is being made everybody gets that one,
   * and one that took long to make is given out for as long again. Under constant changes nobody would get any
   * otherwise, and the control plane would do nothing else.
   */
  read(head: RulesetVersion): Promise<RulesetDocument>;
}

export interface RulesetDocumentsDeps {
  readonly repository: RulesetRepository;
  /** Milliseconds since any moment. Default: the process's clock. */
  readonly nowMs?: () => number;
}

export function createRulesetDocuments(deps: RulesetDocumentsDeps): RulesetDocuments {
  const { repository, nowMs = () => performance.now() } = deps;
  let kept: { readonly document: RulesetDocument; readonly untilMs: number } | undefined;
  let making: Promise<RulesetDocument> | undefined;

  async function make(): Promise<RulesetDocument> {
    const startedAtMs = nowMs();
    const document = await encode(await repository.readSnapshot());
    const tookMs = nowMs() - startedAtMs;
    kept = { document, untilMs: nowMs() + (tookMs < LONG_TO_MAKE_MS ? 0 : tookMs) };
    return document;
  }

  return {
    readHead: () => repository.readHead(),
    async read(head) {
      if (kept !== undefined && isGood(kept.document, kept.untilMs, head)) return kept.document;
      making ??= make().finally(() => {
        making = undefined;
      });
      return making;
    },
  };

  function isGood({ version }: RulesetDocument, untilMs: number, head: RulesetVersion): boolean {
    if (isOtherHistory(version, head)) return false;
    return compareVersions(version, head) === 0 || (version.epoch === head.epoch && nowMs() < untilMs);
  }
}

async function encode(snapshot: RulesetSnapshot): Promise<RulesetDocument> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  function* slices(): Generator<Buffer> {
    for (const slice of encodeDocument(snapshot)) {
      sizeBytes += slice.length;
      if (sizeBytes > MAX_DOCUMENT_BYTES) throw new RangeError('the ruleset is too large for one document');
      hash.update(slice);
      yield slice;
    }
  }
  const gzip = await pipeline(Readable.from(slices()), createGzip({ level: GZIP_LEVEL }), collect);
  let brotli: Promise<Buffer> | undefined;

  return {
    version: snapshot.version,
    digest: formatDigest(hash.digest()),
    async body(coding) {
      if (coding === 'gzip') return gzip;
      if (coding === 'identity') return expand(gzip);
      brotli ??= recompress(gzip);
      return brotli;
    },
  };
}

function recompress(gzip: Buffer): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return pipeline(Readable.from(gzip), createGunzip(), createBrotliCompress({ params }), collect);
}

/** The reader of the stream learns of its failures by the stream itself. */
function expand(gzip: Buffer): Readable {
  return connect(Readable.from(gzip), createGunzip(), () => {});
}

function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  return buffer(stream);
}
