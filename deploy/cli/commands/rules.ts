import type { Rule, Schemas } from '../../client/src/index.js';
import { type Command, EXIT, FORCE, forced, type OptionSpec, UsageError } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { readJsonFile } from '../json-file.js';
import { confirm } from '../prompt.js';
import { printTable } from '../table.js';

const list: Command = {
  name: 'rules list',
  about: 'List the rules of a redirect in their order.',
  arguments: ['HOST'],
  options: {},
  async run({ client: connect, terminal, args: [host = ''], isJson }) {
    const client = await connect();
    const rules = await client.rules.list((await findRedirect(client, host)).id);
    if (isJson) return terminal.printJson(rules);
    if (rules.length === 0) return terminal.note('No rules. Create one: waymark rules create HOST FILE.json');
    printTable(terminal, rules, [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, shrinks: true },
      {
        title: 'STATUS',
        value: ({ status }) => status,
        style: ({ status }) => (status === 'active' ? 'green' : 'dim'),
      },
      { title: 'CONDITIONS', value: conditionsOf, shrinks: true },
      { title: 'ACTION', value: actionOf, shrinks: true },
      { title: 'HITS', value: ({ hitCount }) => hitCount, align: 'right' },
    ]);
  },
};

function conditionsOf({ conditions, conditionLogic }: Rule): string {
  const texts = conditions.map(({ attribute, operator, value }) =>
    [attribute, operator, Array.isArray(value) ? value.join('|') : value]
      .filter((part) => part !== undefined)
      .join(' '),
  );
  return texts.length === 0 ? 'everybody' : texts.join(` ${conditionLogic.toLowerCase()} `);
}

function actionOf({ action }: Rule): string {
  if (action.type === 'redirect') return action.url;
  if (action.type === 'percentage_redirect') return `${action.percentage} % ${action.url}`;
  return action.variants.map(({ name, percentage, url }) => `${name} ${percentage} % ${url}`).join(', ');
}

const create: Command = {
  name: 'rules create',
  about: 'Create a rule from a JSON file (- is stdin).',
  arguments: ['HOST', 'FILE'],
  options: FORCE,
  details: `The file has the body of POST /redirects/{id}/rules, for example:
  {"name": "Germany", "type": "force", "status": "active",
   "conditions": [{"attribute": "country", "operator": "equals", "value": "DE"}],
   "action": {"type": "redirect", "url": "https://example.de"}}`,
  async run({ client: connect, terminal, args: [host = '', file = ''], options, show }) {
    const body = (await readJsonFile(terminal, file)) as Schemas.CreateRedirectRuleRequest;
    const client = await connect();
    const { id } = await findRedirect(client, host);
    const { rule } = await client.rules.create(id, body, forced(options));
    show(rule, `Created: rule ${rule.id} "${rule.name}" (${rule.status})`);
  },
};

const setStatus = (name: string, status: Rule['status']): Command => ({
  name: `rules ${name}`,
  about: `Set the status of a rule to ${status}.`,
  arguments: ['RULE'],
  options: FORCE,
  async run({ client, args: [id = ''], options, show }) {
    const answer = await (await client()).rules.setStatus(ruleId(id), status, forced(options));
    show(answer, `Rule ${id} is ${status}.`);
  },
});

const remove: Command = {
  name: 'rules delete',
  about: 'Delete a rule for good.',
  arguments: ['RULE'],
  options: { yes: { short: 'y', about: 'Do not ask.' }, ...FORCE },
  async run({ client: connect, terminal, args: [id = ''], options, show }) {
    const number = ruleId(id);
    const client = await connect();
    if (!(await confirm(terminal, `Delete rule ${id} for good?`, options.flag('yes')))) return EXIT.failed;
    const answer = await client.rules.delete(number, forced(options));
    show(answer, `Deleted: rule ${id}`);
    return 0;
  },
};

function ruleId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`RULE must be the number of a rule (got "${text}"). Run: waymark rules list HOST`);
}

const ATTRIBUTES = [
  'country',
  'language',
  'device_type',
  'browser_name',
  'os_name',
  'referrer',
  'user_agent',
  'ip_address',
  'url_path',
];
const attributeOptions: Record<string, OptionSpec> = Object.fromEntries(
  ATTRIBUTES.map((name) => [
    name.replace('_', '-'),
    { value: 'VALUE', about: `The ${name.replace('_', ' ')} of the visitor.` },
  ]),
);

const test: Command = {
  name: 'rules test',
  about: 'Say where a visitor would be sent. Counts nothing.',
  arguments: ['HOST'],
  options: attributeOptions,
  async run({ client: connect, args: [host = ''], options, show }) {
    const given = ATTRIBUTES.map((name) => [name, options.text(name.replace('_', '-'))] as const);
    const userAttributes: Schemas.UserAttributes = Object.fromEntries(
      given.filter(([, value]) => value !== undefined),
    );
    const client = await connect();
    const redirect = await findRedirect(client, host);
    const answer = await client.rules.test(redirect.id, { userAttributes });
    const { message, result } = answer;
    const destination = result === null ? redirect.toDomain : `${result.statusCode} ${result.url}`;
    show(answer, `${message}\n→ ${destination}`);
  },
};

export const ruleCommands: readonly Command[] = [
  list,
  create,
  setStatus('enable', 'active'),
  setStatus('disable', 'inactive'),
  remove,
  test,
];
