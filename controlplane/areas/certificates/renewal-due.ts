import type { AreaParts } from '../../area.js';
import { readRenewalWindow } from './acme/renewal-info.js';
import type { Authorities } from './authorities.js';
import { type ClaimedCertificate, certificateQueue } from './certificate-queue.js';
import { fitsWindow, renewalTime } from './renewal-time.js';

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
