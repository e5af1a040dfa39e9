import type { Api } from './api.js';
import { movingDestination, movingHost, steadyDestination, steadyHost } from './load/load-messages.js';

export const STEADY_HOSTS = 20;
export const MOVING_HOSTS = 2;

/** The redirects that visitors request. */
export interface Redirects {
  /** Ids, by the number of the moving host. */
  readonly moving: readonly string[];
  /** Ids of all. */
  readonly all: readonly string[];
}

interface Created {
  readonly id: string;
}

/** @throws when the control plane refuses one */
export async function createRedirects(api: Api): Promise<Redirects> {
  const steady: string[] = [];
  const moving: string[] = [];
  for (let index = 0; index < STEADY_HOSTS; index += 1) {
    const forwarding = { pathForwarding: true, queryForwarding: true };
    steady.push(await create(api, steadyHost(index), steadyDestination(index), forwarding));
  }
  for (let index = 0; index < MOVING_HOSTS; index += 1) {
    moving.push(await create(api, movingHost(index), movingDestination(index, 0), {}));
  }
  return { moving, all: [...steady, ...moving] };
}

async function create(api: Api, fromDomain: string, toDomain: string, more: object): Promise<string> {
  const body = { fromDomain, toDomain, redirectType: 'temporary', ...more };
  const created = await api.call<Created>('POST', '/add-redirect', body);
  if (created.status !== 201)
    throw new Error(`${fromDomain} could not be made: ${JSON.stringify(created.body)}`);
  return created.body.id;
}

interface StoredRedirect {
  readonly id: string;
  readonly fromDomain: string;
  readonly toDomain: string;
}

/** Reads the state that the control plane reports as committed. @throws when it does not answer */
export async function readCommitted(api: Api, { moving }: Redirects) {
  const { status, body } = await api.call<readonly StoredRedirect[]>('GET', '/get-redirects/me');
  if (status !== 200) throw new Error(`the redirects cannot be read: ${JSON.stringify(body)}`);
  const destinations = moving.map((id) => body.find((redirect) => redirect.id === id)?.toDomain ?? '');
  return {
    // Counter of the moving host. NaN if there is none.
    counters: destinations.map((destination) => Number(destination.split('/').at(-1) || Number.NaN)),
    hosts: new Set(body.map(({ fromDomain }) => fromDomain)),
  };
}
