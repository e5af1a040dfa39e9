import { AppError } from '../../errors/app-error.js';
import type { RateLimitStores } from '../../http/rate-limit-store.js';
import { tooManyRequests } from '../../http/too-many-requests.js';
import type { MailQueue } from '../../mail/mail-queue.js';
import type { Mail } from '../../mail/mail-transport.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { accountLinks, type NewLink } from './account-link.js';

const WINDOW_SECONDS = 3600;
/** Maximum mails to one address per window that were requested without a log-in. */
const MAX_TO_ADDRESS = 5;
/** Maximum requests of one caller per window that send a mail. */
const MAX_OF_CALLER = 100;

export interface MailLinksDeps {
  readonly mails: MailQueue;
  readonly rateLimits: RateLimitStores;
  /** Base URL of the links: the dashboard or the API. */
  readonly baseUrl: () => string;
}

/** Mails with links that are valid once. */
export type MailLinks = ReturnType<typeof createMailLinks>;

export function createMailLinks({ mails, rateLimits, baseUrl }: MailLinksDeps) {
  const requests = rateLimits.open('mails', WINDOW_SECONDS);
  return {
    delivery: mails.delivery,
    /**
     * Counts a request that may send a mail. Resolves to whether the address may get another one.
     *
     * @throws {AppError} RATE_LIMIT_EXCEEDED for the caller, independent of the address
     */
    async mayMail(email: string, caller: string): Promise<boolean> {
      const { count, msBeforeNext } = await requests.consume(`caller:${caller}`);
      if (count > MAX_OF_CALLER) {
        throw tooManyRequests('Too many requests for mails came from this address.', msBeforeNext);
      }
      return (await requests.consume(`to:${email}`)).count <= MAX_TO_ADDRESS;
    },
    /** Creates a link, and mails it after the transaction commits. */
    async send(
      tx: Queryable,
      link: NewLink,
      path: string,
      mail: (to: string, url: string) => Mail,
    ): Promise<void> {
      const token = await accountLinks.create(tx, link);
      await mails.enqueue(tx, mail(link.email, `${baseUrl().replace(/\/$/, '')}${path}?token=${token}`));
    },
    /** Sends a mail without a link. */
    notify: (tx: Queryable, mail: Mail): Promise<void> => mails.enqueue(tx, mail),
    /** Starts to send the committed mails. */
    wake: (): void => mails.wake(),
  };
}

/** The link of a mail is unknown, used or expired. */
export function invalidLink(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'token',
    message: 'This link was used already or has expired. Ask for a new mail.',
  });
}
