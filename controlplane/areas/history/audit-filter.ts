import { AppError } from '../../errors/app-error.js';
import type { Scope } from '../../http/scopes.js';
import { readMoment } from '../analytics/public.js';
import { AUDIT_ACTIONS, RESOURCE_TYPES, type ResourceType } from './audit-entry.js';
import type { AuditFilter } from './history-repository.js';

export interface AuditQuery {
  readonly resource?: string;
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Scopes that reading these resources needs. A token sees only entries of resources that its scopes allow. */
const SCOPE_OF_TYPE: Readonly<Record<ResourceType, Scope>> = {
  redirect: 'redirects:read',
  certificate: 'redirects:read',
  import: 'redirects:read',
  webhook_endpoint: 'billing:read',
  subscription: 'billing:read',
  payment: 'billing:read',
  token: 'tokens:write',
  session: 'tokens:write',
  account: 'tokens:write',
};

/** @throws {AppError} INVALID_REQUEST naming the parameter */
export function auditFilterOf(query: AuditQuery, scopes: readonly Scope[]): AuditFilter {
  const visible = RESOURCE_TYPES.filter((type) => scopes.includes(SCOPE_OF_TYPE[type]));
  const type = RESOURCE_TYPES.find((known) => known === query.resource);
  return {
    types: type === undefined ? visible : visible.filter((one) => one === type),
    resourceId: type === undefined ? query.resource : undefined,
    actions: query.action === undefined ? AUDIT_ACTIONS : actionsNamed(query.action),
    ...periodOf(query),
  };
}

/**
 * Reads the period of a log. A date without a time means the whole day. @throws {AppError} INVALID_REQUEST naming the
 * parameter
 */
export function periodOf(query: Pick<AuditQuery, 'since' | 'until'>): Pick<AuditFilter, 'since' | 'until'> {
  const since = momentOf(query.since, 'since', 'start');
  const until = momentOf(query.until, 'until', 'end');
  if (since === undefined || until === undefined || since <= until) return { since, until };
  throw new AppError('INVALID_REQUEST', { field: 'since', message: 'since must not be after until.' });
}

function actionsNamed(name: string) {
  const named = AUDIT_ACTIONS.filter((action) => action === name || action.split('.').includes(name));
  if (named.length > 0) return named;
  throw new AppError('INVALID_REQUEST', {
    field: 'action',
    message: `action must be an action or a part of one, such as rule or updated: ${AUDIT_ACTIONS.join(', ')}.`,
  });
}

function momentOf(text: string | undefined, field: string, edge: 'start' | 'end'): Date | undefined {
  if (text === undefined) return undefined;
  const timeMs = readMoment(text, edge);
  if (timeMs !== undefined && timeMs >= EARLIEST_MS && timeMs < LATEST_MS) return new Date(timeMs);
  throw new AppError('INVALID_REQUEST', {
    field,
    message: `${field} must be a date (2026-01-31) or an ISO 8601 timestamp (2026-01-31T08:00:00Z, with Z or an offset; without either it is UTC), in the years 1900 to 9999.`,
  });
}

const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 30);
