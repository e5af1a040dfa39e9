import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { operatorLog } from './operator-log.js';
import { createOperatorRoutes } from './operator-routes.js';
import { createTakedownPages } from './takedown-pages.js';
import { createTakedownService } from './takedown-service.js';
import { createUserAdminService, type UserAdminServiceDeps } from './user-admin-service.js';

export interface OperatorDeps extends UserAdminServiceDeps {
  readonly logger: Logger;
  /** Takes a domain from its owner, in the transaction. Throws NOT_FOUND if it has no owner. */
  readonly releaseDomain: (tx: Queryable, record: RecordChange, domain: string) => Promise<string>;
}

/** Operation of the installation: users, takedowns, domains, and the log of operators' actions. */
export function createOperator(deps: OperatorDeps): Area {
  const { database, outbox, releaseDomain } = deps;
  const pages = createTakedownPages(deps);
  const routes = createOperatorRoutes({
    database,
    isOperator: deps.isOperator,
    users: createUserAdminService(deps),
    takedowns: createTakedownService({ ...deps, pages }),
    releaseDomain: (operator, given, keep) =>
      outbox.commit(async (tx, record) => {
        const domain = await releaseDomain(tx, record, given);
        await operatorLog.add(tx, operator, { action: 'domain.release', subject: domain, detail: {} });
        await keep?.(tx, domain);
        return domain;
      }),
  });
  return { routes: [routes], jobs: [pages] };
}
