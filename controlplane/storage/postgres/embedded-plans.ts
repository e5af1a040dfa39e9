import type { PGlite, QueryOptions } from '@electric-sql/pglite';

/** Option of a query whose plan is kept. PGlite passes the options of a query along with each of its messages. */
const KEEPS_PLAN = Symbol('keeps its plan');
/** Statements are constants of the program. Their number is smaller than this limit. */
const MAX_PLANS = 256;

/** First bytes of messages of PostgreSQL's protocol (version 3, "Message Formats"). */
const PARSE = 0x50;
const DESCRIBE = 0x44;
const BIND = 0x42;
/** Second part of a `Describe` message that is about a statement. */
const OF_STATEMENT = 0x53;
/** The type and the length come first. */
const HEAD_BYTES = 5;
/** PostgreSQL's code of an error after the columns of a statement have changed. */
const FEATURE_NOT_SUPPORTED = '0A000';

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>;

interface Plan {
  readonly sql: string;
  readonly name: Buffer;
  /** The answer to the question which parameters the statement has. */
  description: Messages | undefined;
}

/** Options for a query whose statement is read and planned once for all executions. */
export const KEEPING_PLAN = { [KEEPS_PLAN]: true } as QueryOptions;

/**
 * Makes `client` keep the plans of queries with `KEEPING_PLAN`. By default PGlite parses and plans each query again,
 * which takes more than half of the time of a short query. The statements get names, which later queries use.
 */
export function keepPlans(client: PGlite): PGlite {
  const { execProtocolStream } = client;
  const plans = new Map<string, Plan>();
  let named = 0;
  /** The plan of the query whose messages are sent at the moment. PGlite sends one query at a time. */
  let current: Plan | undefined;

  client.execProtocolStream = async (message, options) => {
    const send = (bytes: Uint8Array): Promise<Messages> => execProtocolStream.call(client, bytes, options);
    switch (message[0]) {
      case PARSE: {
        current = undefined;
        if (options === undefined || !(KEEPS_PLAN in options)) return send(message);
        const sql = textAt(message, HEAD_BYTES + 1);
        const known = plans.get(sql);
        if (known === undefined && plans.size >= MAX_PLANS) return send(message);
        const plan = known ?? { sql, name: Buffer.from(`plan_${named++}`), description: undefined };
        const answer = known === undefined ? await send(withName(message, HEAD_BYTES, plan.name)) : [];
        plans.set(sql, plan);
        current = plan;
        return answer;
      }
      case DESCRIBE: {
        if (current === undefined || message[HEAD_BYTES] !== OF_STATEMENT) return send(message);
        current.description ??= await send(withName(message, HEAD_BYTES + 1, current.name));
        return current.description;
      }
      case BIND: {
        if (current === undefined) return send(message);
        const { sql, name } = current;
        // The name of the portal, which is empty, comes first.
        return send(withName(message, HEAD_BYTES + 1, name)).catch((error: unknown) => {
          if (isOutdated(error)) plans.delete(sql);
          throw error;
        });
      }
      default:
        return send(message);
    }
  };
  return client;
}

/** The text at a place, which ends before a zero byte. */
function textAt(message: Uint8Array, start: number): string {
  return Buffer.from(message.subarray(start, message.indexOf(0, start))).toString('utf8');
}

/** The message with a name in place of the empty one at `at`. */
function withName(message: Uint8Array, at: number, name: Buffer): Buffer {
  const renamed = Buffer.concat([message.subarray(0, at), name, message.subarray(at)]);
  renamed.writeInt32BE(renamed.length - 1, 1);
  return renamed;
}

function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === FEATURE_NOT_SUPPORTED;
}
