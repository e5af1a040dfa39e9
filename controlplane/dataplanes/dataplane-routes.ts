import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { IsOperator } from '../accounts/operator.js';
import { AppError } from '../errors/app-error.js';
import { type OverviewDeps, readOverview } from './dataplane-reports.js';
import { DataplaneListSchema, dataplaneList } from './dataplane-schema.js';

export interface DataplaneRoutesDeps extends OverviewDeps {
  readonly isOperator: IsOperator;
}

/** `/admin/dataplanes`. */
export function createDataplaneRoutes({
  isOperator,
  ...overview
}: DataplaneRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/admin/dataplanes',
      {
        config: { scope: null },
        schema: {
          tags: ['operations'],
          summary: 'See what each data plane serves',
          description: "For the operator, the installation's first user, only.",
          response: { 200: DataplaneListSchema },
        },
      },
      async (request) => {
        if (!(await isOperator(request.user))) {
          throw new AppError('FORBIDDEN', {
            message: 'Only the operator, the first user of this installation, may see its data planes.',
          });
        }
        return dataplaneList(await readOverview(overview));
      },
    );
  };
}
