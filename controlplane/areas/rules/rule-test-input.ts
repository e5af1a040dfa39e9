import { parseAddress } from '../../../shared/visitor/address-text.js';
import { AppError } from '../../errors/app-error.js';
import type { RuleTestRequest, UserAttributes } from './rule-test-schema.js';

/** The visitor of a test, checked. */
export interface DescribedVisitor {
  readonly attributes: UserAttributes;
  /** Address in canonical form. */
  readonly address: string | undefined;
  /** Query string as a browser sends it; empty without parameters. */
  readonly query: string;
  /** Visitor whose random choices repeat; undefined for choices that do not repeat. */
  readonly visitorId: string | undefined;
}

/** @throws {AppError} VALIDATION_ERROR for an invalid address */
export function describedVisitor({ userAttributes, visitorId }: RuleTestRequest): DescribedVisitor {
  return {
    attributes: userAttributes,
    address: addressOf(userAttributes),
    query: queryOf(userAttributes.query_params ?? {}),
    visitorId: userAttributes.visitorId ?? visitorId,
  };
}

function addressOf({ ip_address: given }: UserAttributes): string | undefined {
  if (given === undefined) return undefined;
  const address = parseAddress(given);
  if (address !== undefined) return address;
  throw new AppError('VALIDATION_ERROR', {
    field: 'userAttributes.ip_address',
    message: 'userAttributes.ip_address must be an IPv4 or IPv6 address without port or prefix length.',
  });
}

function queryOf(params: NonNullable<UserAttributes['query_params']>): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(params)) {
    for (const value of [values].flat()) query.append(name, value);
  }
  return query.toString();
}
