import { LineCounter, parseDocument } from 'yaml';
import type { Schemas } from '../../client/src/index.js';
import { CommandError } from '../command.js';
import { asciiHost } from '../find-redirect.js';

type Settings = Omit<Schemas.AddRedirectRequest, 'fromDomain'>;

/** Members that a file may set. The compiler keeps the list complete. */
const MEMBERS: Readonly<Record<keyof Settings, true>> = {
  toDomain: true,
  redirectType: true,
  pathForwarding: true,
  queryForwarding: true,
  samplingRate: true,
  cacheSeconds: true,
  queryRecording: true,
  statusCode: true,
  enabled: true,
  tags: true,
  note: true,
  externalId: true,
  startsAt: true,
  endsAt: true,
  afterEnd: true,
  responseHeaders: true,
  appendQuery: true,
  httpsMode: true,
  hsts: true,
  clickIdParam: true,
  notFound: true,
};

/** A redirect as described in a file. Members that the file omits stay unchanged. */
export interface WantedRedirect {
  readonly host: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface RedirectFile {
  /** All redirects of the file get this tag. Others that have it are deleted. */
  readonly tag: string | undefined;
  readonly redirects: readonly WantedRedirect[];
}

/** Reads a file of redirects. Throws a CommandError that names the place of each fault. */
export function parseRedirectFile(text: string, file: string): RedirectFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fault = document.errors[0];
  if (fault !== undefined) {
    throw new CommandError(`${file}:${lines.linePos(fault.pos[0]).line}: ${fault.message}`);
  }
  const content: unknown = document.toJS();
  if (!isObject(content) || !isObject(content.redirects)) {
    throw new CommandError(`${file} must have \`redirects\`: hosts with their URL or their members.`);
  }
  const { tag, redirects, ...rest } = content;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined)
    throw new CommandError(`${file}: \`${unknown}\` is not known. Known: tag, redirects.`);
  if (tag !== undefined && (typeof tag !== 'string' || tag.trim() === '')) {
    throw new CommandError(`${file}: tag must be a text.`);
  }
  const wanted = Object.entries(redirects).map(([host, value]) => wantedRedirect(host, value, file));
  refuseRepeated(wanted, file);
  return { tag, redirects: wanted };
}

function wantedRedirect(host: string, value: unknown, file: string): WantedRedirect {
  const members = typeof value === 'string' ? { toDomain: value } : value;
  if (!isObject(members)) {
    throw new CommandError(`${file}: ${host} must be a URL or members of a redirect, such as toDomain.`);
  }
  const unknown = Object.keys(members).find((name) => !Object.hasOwn(MEMBERS, name));
  if (unknown !== undefined) {
    throw new CommandError(`${file}: ${host} has \`${unknown}\`. Known: ${Object.keys(MEMBERS).join(', ')}.`);
  }
  if (typeof members.toDomain !== 'string') throw new CommandError(`${file}: ${host} needs toDomain, a URL.`);
  return { host: asciiHost(host), members };
}

function refuseRepeated(wanted: readonly WantedRedirect[], file: string): void {
  const hosts = new Set<string>();
  for (const { host } of wanted) {
    if (hosts.has(host)) throw new CommandError(`${file}: ${host} is there twice.`);
    hosts.add(host);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
