import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { type CurrentUser, type IsOperator, requireOperator } from '../http/current-user.js';
import { keepAnswer } from '../http/idempotency.js';
import type { Queryable } from '../storage/postgres/database.js';
import type { BegunEpoch, PublicationGuard } from './publication-guard.js';

export interface EpochRoutesDeps {
  readonly guard: Pick<PublicationGuard, 'beginEpoch'>;
  readonly isOperator: IsOperator;
  readonly recordEpoch: RecordEpoch;
}

/** Records who began an epoch, in its transaction. `head` is the new ruleset, as `epoch.seq`. */
export type RecordEpoch = (
  tx: Queryable,
  operator: CurrentUser,
  epoch: { readonly head: string; readonly previous: string },
) => Promise<void>;

const AnswerSchema = Type.Object({
  message: Type.String(),
  previous: Type.String({ description: 'Newest ruleset before the change, as `epoch.seq`.' }),
  head: Type.String({ description: 'Newest ruleset, as `epoch.seq`.' }),
});

/** `/admin/new-epoch`. */
export function createEpochRoutes({
  guard,
  isOperator,
  recordEpoch,
}: EpochRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/admin/new-epoch',
      {
        config: { scope: 'all', worksWhileHeld: true },
        schema: {
          tags: ['operations'],
          operationId: 'startNewEpoch',
          summary: 'Begin a new epoch of rulesets',
          description:
            'Only the operator (the first user of the installation) can use it. Begins a new epoch of rulesets: data planes replace their ruleset even if the database has far fewer hosts. Use it when publishing has stopped because the database does not match the served ruleset.',
          response: { 200: AnswerSchema },
        },
      },
      async (request, reply) => {
        await requireOperator(isOperator, request.user, 'begin a new epoch');
        const shown = ({ previous, head }: BegunEpoch) => ({
          previous: formatVersion(previous),
          head: formatVersion(head),
        });
        const bodyOf = (begun: BegunEpoch) => ({
          message: 'A new epoch has begun. Data planes serve what the database holds within seconds.',
          ...shown(begun),
        });
        const keep = keepAnswer(request, reply, 200, bodyOf);
        const begun = await guard.beginEpoch(async (tx, epoch) => {
          await recordEpoch(tx, request.user, shown(epoch));
          await keep?.(tx, epoch);
        });
        return bodyOf(begun);
      },
    );
  };
}
