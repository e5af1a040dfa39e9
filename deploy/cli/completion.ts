import { type Command, GENERAL_OPTIONS } from './command.js';

/** Returns the options of a command as the user types them. */
const optionsOf = ({ options }: Command) =>
  Object.keys({ ...options, ...GENERAL_OPTIONS }).map((name) => `--${name}`);

const firstWords = (commands: readonly Command[]) => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
];
const secondWords = (commands: readonly Command[], first: string) =>
  commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(' ')[1] ?? '');

/** Returns a script that completes commands and options in bash. */
export function bashCompletion(commands: readonly Command[]): string {
  const groups = firstWords(commands).filter((first) => secondWords(commands, first).length > 0);
  return `_waymark() {
  local current=\${COMP_WORDS[COMP_CWORD]} command="\${COMP_WORDS[1]}" words=
  case "$command" in ${groups.join('|')}) [ "$COMP_CWORD" -gt 2 ] && command="$command \${COMP_WORDS[2]}" ;; esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstWords(commands).join(' ')}"
  else case "$command" in
${groups.map((first) => `    '${first}') words="${secondWords(commands, first).join(' ')}" ;;`).join('\n')}
${commands.map((command) => `    '${command.name}') words="${optionsOf(command).join(' ')}" ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _waymark waymark`;
}

/** Returns a script for zsh, which runs that of bash. */
export function zshCompletion(commands: readonly Command[]): string {
  return `autoload -Uz compinit bashcompinit && compinit -u && bashcompinit\n${bashCompletion(commands)}`;
}

/** Returns a script that completes commands and options in fish. */
export function fishCompletion(commands: readonly Command[]): string {
  const first = `complete -c waymark -n __fish_use_subcommand -f -a '${firstWords(commands).join(' ')}'`;
  const rest = commands.map((command) => {
    const [group = '', second] = command.name.split(' ');
    const seen = [group, second].filter((word) => word !== undefined);
    const condition = seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const options = optionsOf(command)
      .map((name) => `-l ${name.slice(2)}`)
      .map((option) => `complete -c waymark -n '${condition}' ${option}`);
    const others = secondWords(commands, group).join(' ');
    const choose = `complete -c waymark -n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${others}' -f -a ${second}`;
    return [...(second === undefined ? [] : [choose]), ...options].join('\n');
  });
  return [first, ...rest].join('\n');
}
