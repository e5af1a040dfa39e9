import { type Client, type Redirect, WaymarkError } from '../client/src/index.js';
import { CommandError } from './command.js';

/** Finds a redirect by its host or its id. */
export async function findRedirect(client: Client, hostOrId: string): Promise<Redirect> {
  const found = hostOrId.includes('.')
    ? await findByHost(client, hostOrId)
    : await findById(client, hostOrId);
  if (found !== undefined) return found;
  throw new CommandError(`You have no redirect "${hostOrId}". Run: waymark redirects list`);
}

/** Finds your redirect of a host. */
export async function findByHost(client: Client, host: string): Promise<Redirect | undefined> {
  const wanted = asciiHost(host);
  for await (const redirect of client.redirects.list({ search: wanted, limit: 200 })) {
    if (redirect.fromDomain === wanted) return redirect;
  }
  return undefined;
}

async function findById(client: Client, id: string): Promise<Redirect | undefined> {
  try {
    return await client.redirects.get(id);
  } catch (error) {
    if (error instanceof WaymarkError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Writes a host as the API does: lower-case, in ASCII, without scheme and dot at the end. */
export function asciiHost(host: string): string {
  const bare = host
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .replace(/\.$/, '');
  const [, wildcard = '', name = bare] = /^(\*\.)?(.*)$/s.exec(bare) ?? [];
  try {
    return wildcard + new URL(`http://${name}`).hostname;
  } catch {
    return bare.toLowerCase();
  }
}
