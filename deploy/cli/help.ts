import { type Command, GENERAL_OPTIONS, type OptionSpec } from './command.js';

const GROUPS: ReadonlyArray<readonly [title: string, names: readonly string[]]> = [
  ['Account', ['login', 'logout', 'whoami']],
  ['Redirects', ['redirects']],
  ['Rules', ['rules']],
  ['Examples', ['examples']],
  ['Statistics', ['stats', 'tail']],
  ['Redirects in files', ['plan', 'apply']],
  ['Other', ['doctor', 'completion']],
];

const usageOf = ({ name, arguments: words }: Command) => [name, ...words].join(' ');

/** Returns the list of all commands. */
export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length)) + 2;
  const groups = GROUPS.map(([title, names]) => {
    const members = commands.filter(({ name }) => names.includes(name.split(' ')[0] ?? ''));
    return `${title}\n${lines(members, width)}`;
  });
  return `Usage: waymark COMMAND

${groups.join('\n\n')}

waymark COMMAND --help lists the options of a command. All commands take --json and --url.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 differences (plan --exit-code, apply --plan).`;
}

/** Returns the list of the commands that begin with the same word. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length)) + 2;
  return `Usage: waymark ${group} COMMAND\n\n${lines(commands, width)}\n\nwaymark ${group} COMMAND --help lists the options of a command.`;
}

function lines(commands: readonly Command[], width: number): string {
  return commands.map((command) => `  ${usageOf(command).padEnd(width)}${command.about}`).join('\n');
}

/** Returns usage, options and details of a command. */
export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...GENERAL_OPTIONS });
  const names = options.map(([name, { short, value }]) => {
    const long = value === undefined ? `--${name}` : `--${name} ${value}`;
    return short === undefined ? `    ${long}` : `-${short}, ${long}`;
  });
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const list = options.map(
    ([, option], index) => `  ${(names[index] ?? '').padEnd(width)}${aboutOf(option)}`,
  );
  const details = command.details === undefined ? '' : `\n\n${command.details}`;
  return `Usage: waymark ${usageOf(command)} [OPTIONS]\n\n${command.about}\n\n${list.join('\n')}${details}`;
}

function aboutOf({ about, choices, multiple }: OptionSpec): string {
  const accepted = choices === undefined ? '' : ` One of ${choices.join(', ')}.`;
  return `${about}${accepted}${multiple === true ? ' May be repeated.' : ''}`;
}
