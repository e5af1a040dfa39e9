import { newId } from '../../storage/postgres/new-id.js';
import type { StoredSettings } from './redirect.js';
import { requireDomainOrWildcard, requireFromDomain } from './redirect-refusals.js';
import type { CreateRedirect } from './redirect-schema.js';
import { newSettings } from './redirect-settings.js';

/** The request for a redirect. */
export interface NewRedirect extends CreateRedirect {
  /** Whether `fromDomain` may be a wildcard. Default: no. */
  readonly takesWildcard?: boolean;
}

/** A new redirect that has passed the checks of its own members. */
export interface WantedRedirect extends StoredSettings {
  readonly id: string;
  readonly fromDomain: string;
}

/**
 * Checks the members of a new redirect.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function readNewRedirect({
  fromDomain: domain,
  takesWildcard = false,
  ...input
}: NewRedirect): WantedRedirect {
  const requireDomain = takesWildcard ? requireDomainOrWildcard : requireFromDomain;
  const fromDomain = requireDomain(domain, 'fromDomain');
  return Object.assign(newSettings(input), { fromDomain, id: newId() });
}
