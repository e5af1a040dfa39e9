import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { encodeDelta, parseIdentity } from '../../shared/ruleset/ruleset-codec.js';
import {
  DELTA_MEDIA_TYPE,
  encodeDocumentHead,
  RULESET_MEDIA_TYPE,
  RULESET_PATH,
} from '../../shared/ruleset/ruleset-document.js';
import { heldError, type Refusal } from '../http/held-api.js';
import { requireInternalToken } from '../http/internal-token.js';
import type { BuiltRuleset } from './ruleset-builder.js';
import type { RulesetDocuments } from './ruleset-documents.js';

/** Time after which a slow reader has given up. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface RulesetRoutesDeps {
  readonly documents: RulesetDocuments;
  /** Returns why no ruleset may be served, or undefined. Default: always undefined. */
  readonly refusal?: Refusal;
  /** See `deriveInternalToken`. */
  readonly token: string;
  /** Tokens of data planes that do not have the new SECRET_KEY yet. Default: none. */
  readonly previousTokens?: readonly string[];
}

/**
 * The whole ruleset over HTTP, for data planes that cannot read it elsewhere. Not a part of the API: it accepts the
 * token that processes of this installation share, and no user's.
 */
export function createRulesetRoutes({
  documents,
  refusal = () => undefined,
  token,
  previousTokens = [],
}: RulesetRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    requireInternalToken(app, token, previousTokens);

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
