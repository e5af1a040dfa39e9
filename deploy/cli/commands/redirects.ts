import type { Redirect, Schemas } from '../../client/src/index.js';
import { type Command, EXIT, type OptionSpec } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { confirm } from '../prompt.js';
import { type Column, printTable } from '../table.js';
import type { Style, Terminal } from '../terminal.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000_000;
const STATUS_STYLES: Readonly<Record<string, Style>> = { active: 'green', pending: 'yellow' };

const COLUMNS: ReadonlyArray<Column<Redirect>> = [
  { title: 'HOST', value: ({ fromDomain }) => fromDomain, shrinks: true },
  { title: 'DESTINATION', value: ({ toDomain }) => toDomain, shrinks: true },
  { title: 'CODE', value: ({ statusCode }) => statusCode },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] ?? 'dim' },
  { title: 'TAGS', value: ({ tags }) => tags.join(' '), shrinks: true },
  { title: 'ID', value: ({ id }) => id, style: () => 'dim' },
];

const list: Command = {
  name: 'redirects list',
  about: 'List redirects, newest first.',
  arguments: [],
  options: {
    search: { value: 'TEXT', about: 'Part of host, destination, note or external id.' },
    status: {
      value: 'STATUS',
      choices: ['pending', 'active', 'disabled', 'scheduled', 'ended'],
      about: 'Only redirects with this status.',
    },
    tag: { value: 'TAG', about: 'Only redirects with this tag.' },
    sort: {
      value: 'MEMBER',
      choices: ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'fromDomain', '-fromDomain'],
      about: 'Order; - reverses it (--sort=-updatedAt).',
    },
    deleted: { about: 'Deleted redirects that can be restored.' },
    limit: { value: 'N', about: `Maximum number. Default: ${DEFAULT_LIMIT}.` },
    all: { about: 'Without a maximum.' },
  },
  async run({ client, terminal, options, isJson }) {
    const limit = options.flag('all') ? MAX_LIMIT : (options.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT);
    const found = await (await client()).redirects
      .list({
        search: options.text('search'),
        status: options.choice<Redirect['status']>('status'),
        tag: options.text('tag'),
        ...(options.flag('deleted') && { deleted: true }),
        sort: options.choice<'createdAt'>('sort'),
        limit: Math.min(200, limit + 1),
      })
      .toArray(limit + 1);
    const shown = found.slice(0, limit);
    if (isJson) return terminal.printJson(shown);
    if (shown.length === 0)
      return terminal.note('No redirects. Create one: waymark redirects create HOST URL');
    printTable(terminal, shown, COLUMNS);
    if (found.length > limit) terminal.note(`There are more than ${limit}. Use --limit N or --all.`);
  },
};

const MEMBERS: Readonly<Record<string, OptionSpec>> = {
  code: { value: 'CODE', choices: ['301', '302', '307', '308'], about: 'Status code. Default: 301.' },
  path: { about: 'Append the path of the request to the destination.' },
  query: { about: 'Append the query of the request to the destination.' },
  tag: { value: 'TAG', multiple: true, about: 'Add a tag.' },
  note: { value: 'TEXT', about: 'A note.' },
  disabled: { about: 'Visitors get 404 until it is enabled.' },
};

const create: Command = {
  name: 'redirects create',
  about: 'Create a redirect and verify its host.',
  arguments: ['HOST', 'URL'],
  options: MEMBERS,
  async run({ client: connect, terminal, args: [fromDomain = '', toDomain = ''], options, isJson }) {
    const client = await connect();
    const code = options.text('code');
    const note = options.text('note');
    const created = await client.redirects.create({
      fromDomain,
      toDomain,
      pathForwarding: options.flag('path'),
      queryForwarding: options.flag('query'),
      enabled: !options.flag('disabled'),
      tags: [...options.texts('tag')],
      ...(code !== undefined && { statusCode: Number(code) as Schemas.StatusCode }),
      ...(note !== undefined && { note }),
    });
    const report = await client.redirects.verify(created.fromDomain);
    const redirect = await client.redirects.get(created.id);
    if (isJson) return terminal.printJson(redirect);
    terminal.print(`Created: ${redirect.fromDomain} → ${redirect.toDomain} (${redirect.status})`);
    if (!report.isVerified) printInstructions(terminal, redirect);
  },
};

/** Says which DNS record proves a host. */
function printInstructions(terminal: Terminal, { fromDomain, verification }: Redirect): void {
  terminal.print(`
Visitors are redirected once DNS proves that ${fromDomain} is yours. Add this record:

  ${verification.name}  TXT  "${verification.value}"

Then run: waymark redirects verify ${fromDomain}`);
}

const show: Command = {
  name: 'redirects show',
  about: 'Show all of a redirect.',
  arguments: ['HOST'],
  options: {},
  async run({ client, terminal, args: [host = ''], isJson }) {
    const redirect = await findRedirect(await client(), host);
    if (isJson) return terminal.printJson(redirect);
    printTable(terminal, Object.entries(redirect), [
      { title: 'MEMBER', value: ([name]) => name },
      { title: 'VALUE', value: ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)) },
    ]);
    if (!redirect.isVerified) printInstructions(terminal, redirect);
  },
};

const remove: Command = {
  name: 'redirects delete',
  about: 'Delete redirects. They can be restored for 30 days.',
  arguments: ['HOST…'],
  options: { yes: { short: 'y', about: 'Do not ask.' } },
  async run({ client: connect, terminal, args, options, isJson }) {
    const client = await connect();
    const redirects = [];
    for (const host of args) redirects.push(await findRedirect(client, host));
    const names = redirects.map(({ fromDomain }) => fromDomain).join(', ');
    if (!(await confirm(terminal, `Delete ${names}?`, options.flag('yes')))) return EXIT.failed;
    for (const { id } of redirects) await client.redirects.delete(id);
    if (isJson) terminal.printJson({ deleted: redirects.map(({ id, fromDomain }) => ({ id, fromDomain })) });
    for (const { id, fromDomain } of isJson ? [] : redirects) {
      terminal.print(`Deleted: ${fromDomain}. To restore it: waymark redirects restore ${id}`);
    }
    return 0;
  },
};

const restore: Command = {
  name: 'redirects restore',
  about: 'Restore a deleted redirect.',
  arguments: ['ID'],
  options: {},
  async run({ client, args: [id = ''], show }) {
    const redirect = await (await client()).redirects.restore(id);
    show(redirect, `Restored: ${redirect.fromDomain} → ${redirect.toDomain} (${redirect.status})`);
  },
};

export const redirectCommands: readonly Command[] = [list, create, show, remove, restore];
