import { isIP } from 'node:net';
import { cleanEnv, EnvMissingError, makeExactValidator, makeValidator } from 'envalid';
import { messageOf } from '../process/error-facts.js';
import { readUrl } from '../process/read-url.js';
import { isEmail } from './email-address.js';

/** Error for an invalid configuration. `message` lists each wrong variable with its accepted values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;
type Specs = Parameters<typeof cleanEnv>[1];

/**
 * Parses environment variables by `specs` into a frozen object. An empty variable counts as absent.
 *
 * @throws {ConfigError} naming every wrong variable and its accepted values
 */
export function parseEnvironment<S extends Specs>(environment: Environment, specs: S) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  return Object.freeze({
    ...cleanEnv(present, specs, {
      reporter: ({ errors }) => {
        const lines = Object.entries(errors).map(([name, error]) => `${name} ${explain(error)}`);
        if (lines.length > 0) throw new ConfigError(lines.join('\n'));
      },
    }),
  });
}

/** Values of variables with these specs. */
export type ValuesOf<S extends Specs> = ReturnType<typeof parseEnvironment<S>>;

/** Default of a variable that may be absent. */
export const absent = { default: undefined } as const;

function explain(error: unknown): string {
  if (error instanceof EnvMissingError) return 'is required';
  const reason = messageOf(error);
  return reason.startsWith('Invalid value') ? `has a value that is not allowed: ${reason}` : reason;
}

function refuse(value: string, accepted: string): never {
  // The value itself is not repeated: it may be a secret pasted into the wrong variable.
  const size = value.length === 1 ? 'one character' : `${value.length} characters`;
  throw new Error(`takes ${accepted}, not a value of ${size} like the one given`);
}

/** A whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) =>
  makeValidator<number>((input) => {
    const value = /^\d{1,15}$/.test(input.trim()) ? Number(input) : Number.NaN;
    return value >= min && value <= max ? value : refuse(input, `a whole number from ${min} to ${max}`);
  });

/** A decimal number above 0, at most `max`. */
export const positiveNumber = (max: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    return value > 0 && value <= max ? value : refuse(input, `a number above 0, at most ${max}`);
  });

/** One of the given words. */
export const oneOf = <T extends string>(words: readonly T[]) =>
  makeExactValidator<T>((input) => {
    const word = words.find((candidate) => candidate === input.trim().toLowerCase());
    return word ?? refuse(input, `one of ${words.join(', ')}`);
  });

const SWITCH_WORDS = ['off', 'on', 'false', 'true', '0', '1'] as const;

/** `on` or `off`; also `true`, `false`, `1` and `0`. */
export const onOff = makeValidator<boolean>((input) => {
  const word = SWITCH_WORDS.find((candidate) => candidate === input.trim().toLowerCase());
  return ['on', 'true', '1'].includes(word ?? refuse(input, `one of ${SWITCH_WORDS.join(', ')}`));
});

/** A password of at most `maxLength` characters, used unchanged. */
export const secretText = (maxLength: number) =>
  makeExactValidator<string>((input) =>
    input.length <= maxLength ? input : refuse(input, `text of at most ${maxLength} characters`),
  );

/** Text of `minLength` to `maxLength` characters. */
export const text = (maxLength = 4096, minLength = 1) =>
  makeExactValidator<string>((input) => {
    const value = input.trim();
    if (value.length < minLength) refuse(input, `text of at least ${minLength} characters`);
    return value.length <= maxLength ? value : refuse(input, `text of at most ${maxLength} characters`);
  });

/** An e-mail address. */
export const emailAddress = makeExactValidator<string>((input) => {
  const value = input.trim();
  return isEmail(value) ? value : refuse(input, 'an e-mail address, such as admin@waymark.example');
});

/** An e-mail address, also with a name before it: `Name <address>`. */
export const mailbox = makeExactValidator<string>((input) => {
  const value = input.trim();
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(value)?.[1] ?? value;
  return isEmail(address) ? value : refuse(input, 'an address, such as "Waymark <mail@example.com>"');
});

/** A URL with one of the given schemes. */
export const urlOf = (...schemes: readonly string[]) =>
  makeExactValidator<string>((input) => {
    const value = input.trim();
    const accepted = `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
    const [scheme, rest] = value.split('://', 2);
    // `redis:` and `redis://` are valid URLs without a server.
    const isComplete = readUrl(value) !== undefined && rest !== undefined && rest !== '';
    if (!isComplete || !schemes.some((known) => known === scheme?.toLowerCase())) refuse(input, accepted);
    return value.replace(/\/$/, '');
  });

/** Comma-separated `host:port` addresses, by name or by IP (IPv6 in brackets). */
export const serverList = (example: string) =>
  makeValidator<string[]>((input) => {
    const servers = listOf(input);
    for (const server of servers) {
      const match = /^(?:\[([^\]]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(server);
      const [, address, name, port] = match ?? [];
      const hostOk = address === undefined ? name !== undefined : isIP(address) === 6;
      if (!hostOk || Number(port) < 1 || Number(port) > 65_535) {
        refuse(input, `a comma-separated list of host:port addresses, such as ${example}`);
      }
    }
    if (servers.length === 0) refuse(input, 'at least one host:port address');
    return servers;
  });

/** Headers whose value is neither an address nor a chain of addresses. */
const OTHER_HEADERS = [
  'forwarded',
  'host',
  'cookie',
  'authorization',
  'content-length',
  'transfer-encoding',
  'via',
];

/** Name of a header that has a client's address (RFC 9110, section 5.1), lower-cased. */
export const addressHeader = makeExactValidator<string>((input) => {
  const name = input.trim().toLowerCase();
  const isName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name);
  if (isName && !OTHER_HEADERS.includes(name)) return name;
  return refuse(
    input,
    'the name of a header with an address in it, such as x-forwarded-for or cf-connecting-ip',
  );
});

/** Comma-separated CIDR ranges or single addresses. */
export const cidrList = makeValidator<string[]>((input) =>
  listOf(input).map((item) => {
    const [address = '', prefix, ...rest] = item.split('/');
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    const prefixOk = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
    if (family === 0 || !prefixOk || rest.length > 0) {
      refuse(input, 'a comma-separated list of CIDR ranges, such as 10.0.0.0/8,fd00::/8');
    }
    return item;
  }),
);

/** Comma-separated IP addresses. */
export const ipList = makeValidator<string[]>((input) =>
  listOf(input).map((item) =>
    isIP(item) === 0
      ? refuse(input, 'a comma-separated list of IP addresses, such as 198.51.100.4,2001:db8::4')
      : item,
  ),
);

const HOST_NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/;

/** Name of a host, lower-cased, without the dot at its end. */
export const hostName = makeExactValidator<string>((input) => {
  const name = input.trim().toLowerCase().replace(/\.$/, '');
  return HOST_NAME.test(name) ? name : refuse(input, 'the name of a host, such as redirects.example.com');
});

/** Comma-separated names of hosts or zones, each as `hostName` accepts it. */
export const hostNameList = makeValidator<string[]>((input) => {
  const names = listOf(input).map((item) => item.toLowerCase().replace(/\.$/, ''));
  const isList = names.length > 0 && names.every((name) => HOST_NAME.test(name));
  return isList
    ? names
    : refuse(input, 'a comma-separated list of names, such as example.com,acme.example.net');
});

/** Comma-separated origins (`https://app.example`), or `*`. */
export const originList = makeValidator<string[]>((input) =>
  listOf(input).map((item) => {
    if (item === '*') return item;
    if (readUrl(item)?.origin !== item) {
      refuse(input, 'a comma-separated list of origins, such as https://app.example, or *');
    }
    return item;
  }),
);

function listOf(input: string): string[] {
  return input
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
