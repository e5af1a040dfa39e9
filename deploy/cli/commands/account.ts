import os from 'node:os';
import { createClient } from '../../client/src/index.js';
import { type Command, CommandError, type Context, DEFAULT_URL } from '../command.js';
import { readCredentials, removeCredentials, writeCredentials } from '../credentials.js';
import { ask, readStdin } from '../prompt.js';

const MAX_TOKEN_BYTES = 16_384;
const TOKEN_DAYS = 365;

export const login: Command = {
  name: 'login',
  about: 'Save an access token for the commands of this user.',
  arguments: [],
  options: {
    email: { value: 'EMAIL', about: 'Log in with a password, and create a token for a year.' },
  },
  details: `The token is read from the terminal, or from stdin:  waymark login < token.txt
It is saved in ~/.config/waymark/credentials.json, which only you can read. WAYMARK_TOKEN takes precedence.`,
  async run(context) {
    const { options, environment } = context;
    const url = (options.text('url') ?? (environment.WAYMARK_URL || DEFAULT_URL)).replace(/\/+$/, '');
    if (!URL.canParse(url))
      throw new CommandError(`--url must be a URL such as ${DEFAULT_URL} (got "${url}").`);
    const email = options.text('email');
    const created =
      email === undefined ? { token: await readToken(context) } : await createToken(context, url, email);
    const { user } = await createClient({ url, token: created.token }).account.get();
    const file = await writeCredentials(environment, { url, ...created });
    const text = `You are logged in at ${url} as ${user.email}. The token is in ${file}.`;
    context.show({ url, email: user.email, file }, text);
  },
};

async function readToken({ terminal }: Context): Promise<string> {
  const token = terminal.isInteractive
    ? await ask(terminal, 'Access token (wm_…; `waymark login --email EMAIL` asks for a password): ', true)
    : await readStdin(terminal, MAX_TOKEN_BYTES);
  if (token === '') throw new CommandError('There is no token. Run: waymark login < FILE');
  return token;
}

async function createToken(
  { terminal }: Context,
  url: string,
  email: string,
): Promise<{ token: string; tokenId: string }> {
  const password = terminal.isInteractive
    ? await ask(terminal, `Password of ${email}: `, true)
    : await readStdin(terminal, MAX_TOKEN_BYTES);
  const session = await createClient({ url }).account.login(email, password);
  const client = createClient({ url, token: session.token });
  try {
    const created = await client.request('POST', '/auth/tokens', {
      body: { name: `waymark on ${os.hostname()}`.slice(0, 100), expiresInDays: TOKEN_DAYS },
    });
    return { token: created.token, tokenId: created.id };
  } finally {
    // The session would last a day. The token exists already, so a failure is only reported.
    await client.account
      .closeSession()
      .catch((error: Error) => terminal.note(`The session of the log-in was not ended: ${error.message}`));
  }
}

export const logout: Command = {
  name: 'logout',
  about: 'Remove the saved token. A token that login created is deleted.',
  arguments: [],
  options: {},
  async run({ terminal, environment, show }) {
    const stored = await readCredentials(environment).catch(() => undefined);
    if (stored?.tokenId !== undefined) {
      const { url, token, tokenId } = stored;
      // The token may already be deleted, or the server unreachable. The file is removed in any case.
      await createClient({ url, token, retries: 0 })
        .request('DELETE', '/auth/tokens/{id}', { params: { id: tokenId } })
        .catch((error: Error) => terminal.note(`The token was not deleted on the server: ${error.message}`));
    }
    const removed = await removeCredentials(environment);
    show({ loggedOut: removed }, removed ? 'You are logged out.' : 'You were not logged in.');
  },
};

export const whoami: Command = {
  name: 'whoami',
  about: 'Show the user, the plan and its use.',
  arguments: [],
  options: {},
  async run(context) {
    const account = await (await context.client()).account.get();
    const { redirects, maxRedirects, totalAnalyticsEvents } = account.usage;
    const limit = maxRedirects < 0 ? 'no limit' : `of ${maxRedirects}`;
    const lines = [
      `${account.user.email}, plan ${account.plan.name}`,
      `${redirects} redirects (${limit}), ${totalAnalyticsEvents} recorded hits in this period`,
    ];
    context.show(account, lines.join('\n'));
  },
};
