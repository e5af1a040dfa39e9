import { type Command, FORCE, forced, type OptionSpec, UsageError } from '../command.js';
import { findRedirect } from '../find-redirect.js';

const switchOf = (about: string): OptionSpec => ({
  value: 'on|off',
  choices: ['on', 'off'],
  about,
});

export const update: Command = {
  name: 'redirects update',
  about: 'Change members of a redirect.',
  arguments: ['HOST'],
  options: {
    to: { value: 'URL', about: 'Destination.' },
    code: { value: 'CODE', choices: ['301', '302', '307', '308'], about: 'Status code.' },
    path: switchOf('Append the path of the request to the destination.'),
    query: switchOf('Append the query of the request to the destination.'),
    enabled: switchOf('Off: visitors get 404.'),
    tag: { value: 'TAG', multiple: true, about: 'Replace the tags.' },
    note: { value: 'TEXT', about: 'A note.' },
    ...FORCE,
  },
  details: 'A file and `waymark apply` change the other members.',
  async run({ client: connect, args: [host = ''], options, show }) {
    const isOn = (name: string) =>
      options.text(name) === undefined ? undefined : options.text(name) === 'on';
    const code = options.text('code');
    const given = {
      toDomain: options.text('to'),
      statusCode: code === undefined ? undefined : Number(code),
      pathForwarding: isOn('path'),
      queryForwarding: isOn('query'),
      enabled: isOn('enabled'),
      tags: options.texts('tag').length > 0 ? [...options.texts('tag')] : undefined,
      note: options.text('note'),
    };
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(change).length === 0) throw new UsageError('Name what to change, such as --to URL.');
    const client = await connect();
    const { id } = await findRedirect(client, host);
    const redirect = await client.redirects.update(id, change, forced(options));
    show(redirect, `Changed: ${redirect.fromDomain} → ${redirect.toDomain} (${redirect.status})`);
  },
};
