import type { Queryable } from '../storage/postgres/database.js';
import type { MailQueue } from './mail-queue.js';
import type { Mail } from './mail-transport.js';

/** Mails to users about their redirects and other objects. */
export interface OwnerMails {
  /**
   * Stores a mail to the user, unless they got one of this kind within `pauseHours` or have no address. It is sent if and
   * when the transaction commits.
   */
  send(
    tx: Queryable,
    userId: string,
    limit: { readonly kind: string; readonly pauseHours: number },
    mailTo: (to: string) => Mail,
  ): Promise<void>;
}

export function createOwnerMails(mails: Pick<MailQueue, 'enqueue'>): OwnerMails {
  return {
    async send(tx, userId, { kind, pauseHours }, mailTo) {
      const [row] = await tx.query<{ email: string }>(
        `WITH owner AS (SELECT id, email FROM users WHERE id = $1 AND email IS NOT NULL),
         sent AS (INSERT INTO owner_mails AS last (user_id, kind) SELECT id, $2 FROM owner
           ON CONFLICT (user_id, kind) DO UPDATE SET sent_at = now()
             WHERE last.sent_at <= now() - make_interval(secs => 3600 * $3::float8)
           RETURNING user_id)
         SELECT email FROM owner JOIN sent ON user_id = id`,
        [userId, kind, pauseHours],
      );
      if (row !== undefined) await mails.enqueue(tx, mailTo(row.email));
    },
  };
}
