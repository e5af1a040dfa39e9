import { isIP } from 'node:net';
import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import { bareHost, isLocalHost } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';

export const MAX_URL_LENGTH = 2048;

/**
 * Checks the URL of an endpoint without asking name servers. The addresses of a name are checked before each attempt.
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

/** Returns whether a port other than 443 is below 1024. Such ports belong to other services (RFC 6335), such as mail. */
function isOfAnotherService(port: string): boolean {
  // Empty for the default port of https.
  return port !== '' && Number(port) < 1024;
}

function mayBePublic(urlHost: string): boolean {
  const host = bareHost(urlHost);
  return isIP(host) === 0 ? !isLocalHost(host) : isPublicAddress(host);
}
