import { connectionProblem } from '../process/connection-problem.js';
import { codeOf } from '../process/error-facts.js';

const FIRST_RECONNECT_MS = 50;
const LONGEST_RECONNECT_MS = 2_000;
const MAX_PROBLEM_CHARACTERS = 200;
/** Beginnings of Redis's answers to a refused or missing login. */
const LOGIN_REFUSED = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)\b/;

/**
 * Returns the options of all Redis connections. Every wait is bounded, and a lost connection is retried without end. A
 * command without a connection fails immediately, because callers have a better fallback than a queue.
 *
 * @param random for jitter; 0 up to, not including, 1
 */
export function redisOptions(random: () => number = Math.random) {
  return {
    connectTimeout: 5_000,
    commandTimeout: 2_000,
    // If nothing answers a command for this long, the peer has vanished and the connection is replaced.
    socketTimeout: 15_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // The caller subscribes whenever a connection becomes ready.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times: number) =>
      Math.min(LONGEST_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(times, 10)) * (0.5 + random() / 2),
  };
}

const NOT_CONNECTED = 'enableOfflineQueue';
const TIMED_OUT = 'Command timed out';

/** Returns whether an error is one of the Redis client: an answer of the server, no connection, or no answer in time. */
export function isRedisError({ name, message }: Error): boolean {
  return name === 'ReplyError' || message.includes(NOT_CONNECTED) || message === TIMED_OUT;
}

/**
 * Returns a problem with Redis in one line for a log. Never log the error object itself: it contains the command, and
 * that may contain the password.
 */
export function describeRedisError(error: unknown): string {
  if (!(error instanceof Error)) return 'Redis cannot be reached';
  // The client's message for: not connected, without a queue.
  if (error.message.includes(NOT_CONNECTED)) return 'Redis cannot be reached';
  if (error.message === TIMED_OUT) return 'REDIS_URL names a server that does not answer within 2 s';
  const reply = error.message.slice(0, MAX_PROBLEM_CHARACTERS);
  if (LOGIN_REFUSED.test(error.message)) {
    return `REDIS_URL has a user name or password that Redis refuses (${reply}): correct it`;
  }
  if (codeOf(error) !== undefined || error instanceof AggregateError) {
    return `REDIS_URL names a server that cannot be reached: ${connectionProblem(error)}`;
  }
  return reply || error.name;
}
