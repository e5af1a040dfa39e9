import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import { type BackgroundWork, createBackgroundWork } from '../jobs/background-work.js';
import { asMembers } from '../storage/postgres/as-members.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import { newId } from '../storage/postgres/new-id.js';
import { createRowCipher } from '../storage/row-cipher.js';
import { type Mail, type MailTransport, RecipientRefusedError } from './mail-transport.js';

const ROUND_INTERVAL_MS = 5_000;
const MAX_TAKEN = 10;
/** Maximum time for which a stop waits for mails on their way. They are due again later. */
const MAX_STOP_MS = 5_000;
/** Links in mails are valid for a day at most. */
const MAX_AGE_MS = 24 * 3_600_000;

interface StoredMail {
  readonly id: string;
  readonly content: Buffer;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  readonly createdAt: Date;
}

export interface MailQueueDeps {
  readonly database: Database;
  readonly secrets: SecretKeys;
  readonly transport: MailTransport;
  readonly logger: Logger;
}

/**
 * Stores mails in the transaction that causes them, and sends them in the background for up to a day. Requests never
 * wait for an SMTP server, so response times do not reveal whether a mail was sent.
 */
export interface MailQueue extends BackgroundWork {
  readonly delivery: MailTransport['delivery'];
  /** Stores a mail. It is sent if and when the transaction commits. */
  enqueue(tx: Queryable, mail: Mail): Promise<void>;
  /** Sends the mails that are due. */
  runRound(): Promise<void>;
  /** Begins to send without waiting for the next round. */
  wake(): void;
}

export function createMailQueue({ database, secrets, transport, logger }: MailQueueDeps): MailQueue {
  const cipher = createRowCipher(secrets, 'waymark/mails/1');

  let isStarted = false;

  async function send(stored: StoredMail): Promise<void> {
    const { id, content, attempts, createdAt } = stored;
    try {
      await transport.send(JSON.parse(cipher.decrypt(content, Buffer.from(id))) as Mail);
    } catch (error) {
      if (error instanceof RecipientRefusedError) {
        logger.warn({ err: error, attempts }, 'a mail is given up: its recipient is refused');
      } else if (Date.now() - createdAt.getTime() < MAX_AGE_MS) {
        logger.warn({ err: error, attempts }, 'a mail could not be sent; trying again later');
        return;
      } else {
        logger.error({ err: error, attempts }, 'a mail could not be sent for a day and is given up');
      }
    }
    await database.query('DELETE FROM mails WHERE id = $1', [id]);
  }

  async function runRound(): Promise<void> {
    while (!work.isStopping()) {
      const taken = await takeDue(database);
      await Promise.all(taken.map(send));
      if (taken.length < MAX_TAKEN) return;
    }
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'mails that are due could not be taken; trying again shortly',
  });

  return {
    delivery: transport.delivery,
    async enqueue(tx, mail) {
      const id = newId();
      const content = cipher.encrypt(JSON.stringify(mail), Buffer.from(id));
      await tx.query('INSERT INTO mails (id, content) VALUES ($1, $2)', [id, content]);
    },
    runRound,
    wake() {
      if (isStarted) void work.wake();
    },
    start() {
      isStarted = true;
      work.start();
    },
    async stop() {
      transport.close();
      const limit = new AbortController();
      await Promise.race([
        work.stop(),
        setTimeout(MAX_STOP_MS, undefined, { signal: limit.signal }).catch(() => undefined),
      ]);
      limit.abort();
    },
  };
}

/**
 * Takes due mails, and makes each due again after a pause that doubles with every attempt. The first pause is longer
 * than a slow SMTP dialogue. During it, no other process sends the same mail.
 */
function takeDue(source: Queryable): Promise<StoredMail[]> {
  return source.query(
    `WITH due AS MATERIALIZED (SELECT id AS due_id FROM mails WHERE next_attempt_at <= now()
       ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE mails SET attempts = attempts + 1,
       next_attempt_at = now() + make_interval(secs => least(120 * power(2, attempts), 3600))
     FROM due WHERE id = due_id
     RETURNING ${asMembers('id, content, attempts, created_at')}`,
    [MAX_TAKEN],
  );
}
