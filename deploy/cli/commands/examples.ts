import type { Schemas } from '../../client/src/index.js';
import { type Command, EXIT } from '../command.js';
import { findRedirect } from '../find-redirect.js';
import { readJsonFile } from '../json-file.js';
import { printable, type Terminal } from '../terminal.js';

const run: Command = {
  name: 'examples run',
  about: 'Run the examples of a redirect. Ends with 1 if one fails.',
  arguments: ['HOST'],
  options: { draft: { about: 'Run them on the stored draft.' } },
  async run({ client: connect, terminal, args: [host = ''], options, isJson }) {
    const client = await connect();
    const { id } = await findRedirect(client, host);
    const answer = await client.request('POST', '/redirects/{id}/examples/run', {
      params: { id },
      body: options.flag('draft') ? { draft: true } : {},
      timeoutMs: 0,
    });
    if (isJson) terminal.printJson(answer);
    else printResults(terminal, answer);
    return answer.summary.failed === 0 ? 0 : EXIT.failed;
  },
};

function printResults(terminal: Terminal, { summary, results }: Schemas.RunExamplesResponse): void {
  for (const { name, status, message } of results) {
    const mark = status === 'passed' ? terminal.style('green', '✓') : terminal.style('red', '✗');
    terminal.print(`${mark} ${printable(name)}`);
    if (message !== null) terminal.print(`  ${printable(message)}`);
  }
  if (summary.total === 0)
    terminal.note('There are no examples. Write some: waymark examples put HOST FILE.json');
  else terminal.print(`${summary.passed} of ${summary.total} examples pass.`);
}

const put: Command = {
  name: 'examples put',
  about: 'Replace the examples of a redirect by those of a JSON file (- is stdin).',
  arguments: ['HOST', 'FILE'],
  options: {},
  details: `The file has the body of PUT /redirects/{id}/examples, for example:
  {"examples": [{"name": "Germans", "request": {"url": "https://old.example.com/a", "userAttributes": {"country": "DE"}},
                 "expect": {"statusCode": 302, "location": "https://example.de/a"}}]}
A change that breaks an example is refused from then on. --force of other commands allows it.`,
  async run({ client: connect, terminal, args: [host = '', file = ''], show }) {
    const body = (await readJsonFile(terminal, file)) as Schemas.NewExamples;
    const client = await connect();
    const { id, fromDomain } = await findRedirect(client, host);
    const list = await client.request('PUT', '/redirects/{id}/examples', { params: { id }, body });
    show(list, `Replaced: ${fromDomain} has ${list.data.length} examples.`);
  },
};

export const exampleCommands: readonly Command[] = [run, put];
