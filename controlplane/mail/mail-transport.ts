import type { Transporter } from 'nodemailer';
import type { Logger } from 'pino';

/** A mail in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly smtpUrl: string;
  readonly from: string;
}

/** Reports that the server has refused the recipient for good. */
export class RecipientRefusedError extends Error {
  override readonly name = 'RecipientRefusedError';
}

/** Sends mails. */
export interface MailTransport {
  /** Says where mails go: to their recipients, or to the log of the operator. */
  readonly delivery: 'email' | 'log';
  /** @throws {RecipientRefusedError} when a further attempt is useless. Other errors allow one. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 30_000;

/** Sends by SMTP. STARTTLS is used where the server offers it. */
export function createSmtpTransport({ smtpUrl, from }: MailConfig): MailTransport {
  let opened: Promise<Transporter> | undefined;
  // Loaded with the first mail: most installations send none in their first minutes.
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport(
      {
        url: smtpUrl,
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: ANSWER_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from },
    );
  };
  return {
    delivery: 'email',
    async send({ to, subject, text }) {
      // An object, because a text may name several recipients.
      try {
        opened ??= open();
        const transport = await opened;
        await transport.sendMail({ to: { name: '', address: to }, subject, text });
      } catch (error) {
        throw isRefusedRecipient(error)
          ? new RecipientRefusedError('recipient refused', { cause: error })
          : error;
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** An answer from 500 up to the recipient is final (RFC 5321, section 4.2.1). One to the sender or the log-in is not: the operator can correct it. */
function isRefusedRecipient(error: unknown): boolean {
  const { command, responseCode } = error as { command?: unknown; responseCode?: unknown };
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500;
}

/** Writes mails to the log. The operator hands them on where no SMTP server is configured. */
export function createLogTransport(logger: Logger): MailTransport {
  return {
    delivery: 'log',
    async send(mail) {
      logger.warn(mail, 'SMTP_URL is not set: this mail was not sent; hand it to its recipient');
    },
    close: () => undefined,
  };
}
