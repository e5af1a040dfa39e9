import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import {
  DIGEST_HEADER,
  entityTag,
  RULESET_MEDIA_TYPE,
  RULESET_PATH,
} from '../../shared/ruleset/ruleset-document.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { invalidToken, readBearerToken } from '../plugins/authentication.js';
import { heldError, type Refusal } from '../plugins/held-api.js';
import { chooseCoding } from './content-coding.js';
import type { RulesetDocuments } from './ruleset-documents.js';

/** A reader this slow has given up already. */
const ANSWER_TIMEOUT_MS = 60_000;

export interface RulesetRoutesDeps {
  readonly documents: RulesetDocuments;
  /** Why no ruleset may be given out, while that is so. Default: never. */
  readonly refusal?: Refusal;
  /** See `deriveInternalToken`. */
  readonly token: string;
}

/**
 * The whole ruleset over HTTP, for data planes that cannot have it any other way. Not a part of the API: it takes
 * the token that processes of this installation share, and no user's.
 */
export function createRulesetRoutes({
  documents,
  refusal = () => undefined,
  token,
}: RulesetRoutesDeps): FastifyPluginAsync {
  const isToken = createTokenCheck(token);
  return async (app) => {
    app.addHook('onRequest', async ({ headers: { authorization } }) => {
      const read = readBearerToken(authorization);
      if ('refusal' in read) throw read.refusal;
      if (!isToken(read.token)) throw invalidToken();
    });

    app.get(
      RULESET_PATH,
      { config: { public: true, uncounted: true }, schema: { hide: true } },
      async (request, reply) => {
        if (refusal() !== undefined) throw heldError();
        const coding = chooseCoding(request.headers['accept-encoding']);
        reply.header('Cache-Control', 'private, no-cache').header('Vary', 'Accept-Encoding');
        const known = request.headers['if-none-match'];
        const unchanged = (version: RulesetVersion) =>
          reply.header('ETag', entityTag(version, coding)).code(304).send();

        const head = await documents.readHead();
        if (names(known, head)) return unchanged(head);
        const document = await documents.read(head);
        if (names(known, document.version)) return unchanged(document.version);
        const body = await document.body(coding);
        boundAnswer(reply);
        if (coding !== 'identity') reply.header('Content-Encoding', coding);
        return reply
          .header('ETag', entityTag(document.version, coding))
          .header(DIGEST_HEADER, document.digest)
          .type(RULESET_MEDIA_TYPE)
          .send(body);
      },
    );
  };
}

/** Compares hashes: those are of one length, and the time it takes says nothing of the token. */
function createTokenCheck(token: string): (given: string) => boolean {
  const expected = sha256(token);
  return (given) => timingSafeEqual(sha256(given), expected);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether If-None-Match has this version, in whichever coding. */
function names(header: string | undefined, version: RulesetVersion): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  // A data plane of an older release asks by the numbers alone.
  const { lineage: _unnamed, ...numbers } = version;
  return (['identity', 'gzip', 'br'] as const).some(
    (coding) => tags.includes(entityTag(version, coding)) || tags.includes(entityTag(numbers, coding)),
  );
}

function boundAnswer({ raw }: FastifyReply): void {
  const timer = setTimeout(() => raw.destroy(), ANSWER_TIMEOUT_MS);
  raw.once('close', () => clearTimeout(timer));
}
