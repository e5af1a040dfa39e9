import { type Command, EXIT } from '../command.js';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion.js';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Creates the command that prints a completion script for all commands. */
export const createCompletion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  about: 'Print a script that completes commands in a shell.',
  arguments: ['SHELL'],
  options: {},
  details: `SHELL is bash, zsh or fish:
  bash   eval "$(waymark completion bash)"        in ~/.bashrc
  zsh    eval "$(waymark completion zsh)"         in ~/.zshrc
  fish   waymark completion fish | source         in ~/.config/fish/config.fish`,
  async run({ terminal, args: [shell = ''] }) {
    if (!Object.hasOwn(SHELLS, shell)) {
      terminal.note(`waymark: SHELL must be bash, zsh or fish (got "${shell}").`);
      return EXIT.usage;
    }
    terminal.print(SHELLS[shell as keyof typeof SHELLS](commands()));
    return 0;
  },
});
