import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { settledWithin } from '../../shared/async/deadline.js';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import { encodeDelta, parseIdentity } from '../../shared/ruleset/ruleset-codec.js';
import {
  DELTA_MEDIA_TYPE,
  encodeDocumentHead,
  RULESET_MEDIA_TYPE,
  RULESET_PATH,
} from '../../shared/ruleset/ruleset-document.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import { AppError } from '../errors/app-error.js';
import { heldError, type Refusal } from '../http/held-api.js';
import { requireInternalToken } from '../http/internal-token.js';
import type { BuiltRuleset, RulesetBuilder } from './ruleset-builder.js';
import { MAX_CHANGES_PER_DELTA, type RulesetRepository } from './ruleset-repository.js';

/** Maximum time that readers wait for a build before they ask again. */
const BUILD_WAIT_MS = 3_000;

/** Answer to a data plane that requests the ruleset over HTTP. */
type RulesetAnswer =
  | { readonly kind: 'nothing newer' }
  | { readonly kind: 'delta'; readonly delta: RulesetDelta }
  | { readonly kind: 'whole'; readonly built: BuiltRuleset };

interface RulesetDocumentsDeps {
  readonly repository: Pick<RulesetRepository, 'readDelta'>;
  readonly builder: Pick<RulesetBuilder, 'build' | 'progress'>;
  /** Default: 3 s. */
  readonly buildWaitMs?: number;
}

/** Answers data planes that cannot read the ruleset from Redis. */
export function createRulesetDocuments(deps: RulesetDocumentsDeps) {
  const { repository, builder, buildWaitMs = BUILD_WAIT_MS } = deps;

  async function changesSince(known: RulesetVersion): Promise<RulesetAnswer | undefined> {
    const delta = await repository.readDelta(known, MAX_CHANGES_PER_DELTA);
    // A data plane takes over more changes in chunks.
    if (delta === undefined || delta.hasMore) return undefined;
    const isNewest = compareVersions(delta.version, known) === 0 && !isOtherHistory(delta.version, known);
    return isNewest ? { kind: 'nothing newer' } : { kind: 'delta', delta };
  }

  async function whole(): Promise<RulesetAnswer> {
    const building = builder.build();
    if (await settledWithin(buildWaitMs, building)) return { kind: 'whole', built: await building };
    // The build continues; later requests get it.
    building.catch(() => undefined);
    const progress = builder.progress();
    const far = progress === undefined ? '' : `, ${progress.redirects} of ${progress.of} redirects`;
    throw new AppError('SERVICE_UNAVAILABLE', { message: `The ruleset is being built${far}.` });
  }

  return {
    /**
     * @param known version that the reader has
     * @throws {AppError} SERVICE_UNAVAILABLE while the ruleset is being built
     */
    answer: async (known: RulesetVersion | undefined): Promise<RulesetAnswer> =>
      (known && (await changesSince(known))) ?? whole(),
  };
}

/** Time after which a slow reader has given up. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface RulesetRoutesDeps {
  readonly documents: ReturnType<typeof createRulesetDocuments>;
  /** Returns why no ruleset may be served, or undefined. Default: always undefined. */
  readonly refusal?: Refusal;
  readonly secrets: SecretKeys;
}

/**
 * The whole ruleset over HTTP, for data planes that cannot read it elsewhere. Not a part of the API: it accepts the
 * token that processes of this installation share, and no user's.
 */
export function createRulesetRoutes(deps: RulesetRoutesDeps): FastifyPluginAsync {
  const { documents, refusal = () => undefined, secrets } = deps;
  return async (app) => {
    requireInternalToken(app, secrets);

    app.get(
      RULESET_PATH,
      { config: { public: true, uncounted: true }, schema: { hide: true } },
      async (request, reply) => {
        if (refusal() !== undefined) throw heldError();
        const { since } = request.query as { since?: unknown };
        const known = typeof since === 'string' ? parseIdentity(since) : undefined;
        const answer = await documents.answer(known);
        reply.header('Cache-Control', 'no-store');
        switch (answer.kind) {
          case 'nothing newer':
            return reply.code(204).send();
          case 'delta':
            return reply.type(DELTA_MEDIA_TYPE).send(encodeDelta(answer.delta));
          case 'whole':
            boundAnswer(reply);
            return reply.type(RULESET_MEDIA_TYPE).send(Readable.from(piecesOf(answer.built)));
        }
      },
    );
  };
}

function* piecesOf({ manifest, chunks }: BuiltRuleset): Generator<Buffer> {
  yield encodeDocumentHead(manifest, chunks);
  for (const { bytes } of chunks) yield bytes;
}

function boundAnswer({ raw }: FastifyReply): void {
  const timer = setTimeout(() => raw.destroy(), ANSWER_TIMEOUT_MS);
  raw.once('close', () => clearTimeout(timer));
}
