import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { HTTP_URL } from '../../http/documented-formats.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { MAX_DESTINATION_LENGTH, parseDestination } from '../domains/public.js';
import { recordAudit } from '../history/public.js';
import type { FallbackPasses } from './fallback-passes.js';
import { findFallback } from './find-fallback.js';
import { findLoopOfFallback } from './loops/fallback-loops.js';
import { lockLoopGraph } from './loops/loop-graph.js';

const FallbackSchema = Type.Object(
  {
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: MAX_DESTINATION_LENGTH,
      documented: HTTP_URL,
      accepts: `an absolute http or https URL of at most ${MAX_DESTINATION_LENGTH} characters, or null`,
      description: '`null` means 404.',
    }),
  },
  {
    title: 'Fallback',
    additionalProperties: false,
    examples: [{ url: 'https://shop.example.com/moved' }],
  },
);

export interface FallbackRoutesDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly passes: FallbackPasses;
}

/** The URL for visitors of verified hosts whose redirect is disabled. */
export function createFallbackRoutes({
  database,
  outbox,
  passes,
}: FallbackRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/user/fallback',
      {
        config: { scope: 'redirects:read' },
        schema: {
          operationId: 'getFallback',
          tags: ['redirects'],
          summary: 'Get the URL for visitors of disabled redirects',
          response: { 200: FallbackSchema },
        },
      },
      async ({ user }) => ({ url: await findFallback(database, user.id) }),
    );

    app.put(
      '/user/fallback',
      {
        config: { scope: 'redirects:write' },
        schema: {
          operationId: 'setFallback',
          tags: ['redirects'],
          summary: 'Set the URL for visitors of disabled redirects',
          description:
            'Visitors of your verified hosts whose redirect is disabled get 302 to this URL, without their path and query. Nothing is recorded. ' +
            'The answer waits up to 10 seconds until all hosts have the URL. With more than 100,000 such hosts some may get it later.',
          body: FallbackSchema,
          response: { 200: FallbackSchema },
        },
      },
      async ({ user, body }) => {
        const destination = body.url === null ? null : requireUrl(body.url);
        await outbox.commit(async (tx, record) => {
          await lockLoopGraph(tx);
          const before = await findFallback(tx, user.id);
          if (!(await setFallback(tx, user.id, destination))) return;
          const loop = await findLoopOfFallback(tx, user.id);
          if (loop !== undefined) throw fallbackLoop(loop);
          await recordFallback(tx, user, destination);
          await passes.begin(tx, record, user.id, before);
        });
        await passes.publish(user.id);
        return { url: destination?.url ?? null };
      },
    );
  };
}

interface Destination {
  readonly url: string;
  readonly host: string;
}

function requireUrl(text: string): Destination {
  const parsed = parseDestination(text, { pathForwarding: false });
  if (parsed.ok) return { url: parsed.destination, host: parsed.host };
  throw new AppError('VALIDATION_ERROR', { field: 'url', message: parsed.message });
}

function fallbackLoop(loop: readonly string[]): AppError {
  return new AppError('REDIRECT_LOOP', {
    field: 'url',
    message: `Visitors of a disabled redirect would be sent in a circle: ${loop.join(' → ')}. Choose a URL outside this loop.`,
  });
}

/** Resolves to whether the fallback changed. */
async function setFallback(tx: Queryable, userId: string, destination: Destination | null): Promise<boolean> {
  const rows =
    destination === null
      ? await tx.query('DELETE FROM user_fallbacks WHERE user_id = $1 RETURNING 1', [userId])
      : await tx.query(
          `INSERT INTO user_fallbacks (user_id, url, host) VALUES ($1, $2, $3)
           ON CONFLICT (user_id) DO UPDATE SET url = excluded.url, host = excluded.host
             WHERE user_fallbacks.url <> excluded.url RETURNING 1`,
          [userId, destination.url, destination.host],
        );
  return rows.length > 0;
}

function recordFallback(tx: Queryable, user: CurrentUser, destination: Destination | null): Promise<void> {
  const { id: userId, email } = user;
  const summary =
    destination === null
      ? 'Removed the fallback of disabled redirects'
      : `Set the fallback of disabled redirects to ${destination.url}`;
  const action = 'account.fallback_changed';
  return recordAudit(tx, { userId, by: user, action, resourceId: userId, resourceName: email, summary });
}
