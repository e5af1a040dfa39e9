import { isIP } from 'node:net';
import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import { bareHost, isLocalHost } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';

export const MAX_URL_LENGTH = 2048;

/**
 * Checks the URL of an endpoint, as far as it can be told without asking name servers; what a name leads to is
 * checked whenever something is sent.
 *
 * @throws {AppError} VALIDATION_ERROR, naming the field `url`
 */
export function requireEndpointUrl(text: string, { allowPrivate }: { readonly allowPrivate: boolean }): void {
  const fault = faultOf(text, allowPrivate);
  if (fault === undefined) return;
  const accepted = allowPrivate ? 'an absolute https or http URL' : 'an absolute https URL of a public host';
  throw new AppError('VALIDATION_ERROR', {
    field: 'url',
    message: `url ${fault}. Give ${accepted}, such as https://api.example.com/webhooks.`,
  });
}

function faultOf(text: string, allowPrivate: boolean): string | undefined {
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'has a space or a control character inside';
  if (!/^https?:\/\//i.test(text)) return `does not begin with https://${allowPrivate ? ' or http://' : ''}`;
  const url = readUrl(text);
  if (url === undefined) return 'has a host or a port that is not valid';
  if (url.protocol === 'http:' && !allowPrivate) return 'does not begin with https://';
  if (url.username !== '' || url.password !== '') return 'has user information before its host';
  if (url.hash !== '') return 'has a fragment, which is never sent';
  if (!allowPrivate && isOfAnotherService(url.port)) return 'has a port below 1024 that is not 443';
  if (!allowPrivate && !mayBePublic(url.hostname)) return 'leads to a private or local address';
  return undefined;
}

/** Ports below 1024 belong to services of their own (RFC 6335), such as mail, which messages are not to be sent to. */
function isOfAnotherService(port: string): boolean {
  // Empty where it is the one of https.
  return port !== '' && Number(port) < 1024;
}

function mayBePublic(urlHost: string): boolean {
  const host = bareHost(urlHost);
  return isIP(host) === 0 ? !isLocalHost(host) : isPublicAddress(host);
}
