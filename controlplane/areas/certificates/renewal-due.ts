import type { AreaParts } from '../../area.js';
import { type RenewalWindow, readRenewalWindow } from './acme/renewal-info.js';
import type { Authorities } from './authorities.js';
import type { ServedCertificate } from './certificate.js';
import { type ClaimedCertificate, certificateQueue } from './certificate-queue.js';

const MAX_RENEWAL_CHECK_SECONDS = 24 * 3_600;

export interface RenewalDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly authorities: Authorities;
}

/** Asks the authorities when to renew, and postpones the renewal if it is not due yet. */
export async function renewalOf(
  { database, authorities, logger }: RenewalDeps,
  one: ClaimedCertificate,
  signal: AbortSignal,
): Promise<{ readonly isDue: boolean; readonly isExempt: boolean }> {
  const { served, renewalId } = one;
  if (served === undefined) return { isDue: true, isExempt: false };
  // The only authority whose limits are known, Let's Encrypt, exempts renewals by renewal information.
  if (one.state === 'renewing') return { isDue: true, isExempt: renewalId !== null };
  // The authority that issued the certificate knows it. The others answer with an error.
  for (const { client } of renewalId === null ? [] : authorities.all) {
    const window = await readRenewalWindow(client, renewalId ?? '', signal).catch((error: unknown) => {
      logger.debug({ err: error, host: one.host }, 'renewal information cannot be read');
      return undefined;
    });
    if (window === undefined) continue;
    const renewAt = fitsWindow(one.renewAt, window)
      ? one.renewAt
      : renewalTime(served, window, Math.random());
    const untilRenewal = (renewAt.getTime() - client.nowMs()) / 1_000;
    if (untilRenewal <= 0) return { isDue: true, isExempt: true };
    const delaySeconds = Math.max(1, Math.min(window.pollSeconds, untilRenewal));
    await certificateQueue.postpone(database, one, delaySeconds, renewAt);
    return { isDue: false, isExempt: true };
  }
  const renewAt = one.renewAt ?? renewalTime(served, undefined, Math.random());
  // A wrong clock of this machine must not renew without end.
  const nowMs = authorities.all[0]?.client.nowMs() ?? Date.now();
  const untilRenewal = (renewAt.getTime() - nowMs) / 1_000;
  if (untilRenewal <= 0) return { isDue: true, isExempt: false };
  const delaySeconds = Math.min(untilRenewal + 1, MAX_RENEWAL_CHECK_SECONDS);
  await certificateQueue.postpone(database, one, delaySeconds, renewAt);
  return { isDue: false, isExempt: false };
}

/** Renewals of certificates that were issued together are spread over this share of the lifetime. */
const SPREAD = 1 / 30;

/**
 * Returns when to renew: at a random moment of the window that the authority suggests, otherwise when a third of the
 * lifetime is left.
 *
 * @param random from 0 to 1
 */
export function renewalTime(
  { notBefore, notAfter }: Pick<ServedCertificate, 'notBefore' | 'notAfter'>,
  window: RenewalWindow | undefined,
  random: number,
): Date {
  if (window !== undefined) {
    return new Date(window.startMs + random * (window.endMs - window.startMs));
  }
  const lifetimeMs = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + lifetimeMs * (2 / 3 - SPREAD * random));
}

/**
 * Returns whether a time that was chosen earlier can stay. A random choice is made once per window.
 */
export function fitsWindow(time: Date | null, window: RenewalWindow): time is Date {
  const ms = time?.getTime() ?? Number.NaN;
  return ms >= window.startMs && ms <= window.endMs;
}
