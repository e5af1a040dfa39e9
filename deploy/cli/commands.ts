import type { Command } from './command.js';
import { login, logout, whoami } from './commands/account.js';
import { createCompletion } from './commands/completion.js';
import { doctor } from './commands/doctor.js';
import { exampleCommands } from './commands/examples.js';
import { apply, plan } from './commands/files.js';
import { update } from './commands/redirect-update.js';
import { redirectCommands } from './commands/redirects.js';
import { ruleCommands } from './commands/rules.js';
import { stats } from './commands/stats.js';
import { tail } from './commands/tail.js';
import { exportCommand, importCommand } from './commands/transfer.js';
import { verify } from './commands/verify.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  login,
  logout,
  whoami,
  ...redirectCommands,
  update,
  verify,
  importCommand,
  exportCommand,
  ...ruleCommands,
  ...exampleCommands,
  stats,
  tail,
  plan,
  apply,
  doctor,
  createCompletion(() => COMMANDS),
];
