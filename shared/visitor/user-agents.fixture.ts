import { readFileSync } from 'node:fs';
import type { Device } from './device.js';

/** One user agent with its expected device. */
export interface AgentCase {
  readonly group: string;
  readonly agent: string;
  readonly device: Device;
}

type Facts = { readonly [Fact in keyof Device]: string | null };

interface Corpus {
  readonly groups: readonly {
    readonly group: string;
    readonly agents: readonly (Facts & { readonly agent: string })[];
  }[];
}

/** All user agents of `user-agents.json`. */
export function readUserAgents(): AgentCase[] {
  const corpus: Corpus = JSON.parse(readFileSync(new URL('./user-agents.json', import.meta.url), 'utf8'));
  return corpus.groups.flatMap(({ group, agents }) =>
    agents.map((facts) => ({ group, agent: facts.agent, device: deviceOf(facts) })),
  );
}

function deviceOf(facts: Facts): Device {
  return {
    type: facts.type ?? undefined,
    brand: facts.brand ?? undefined,
    model: facts.model ?? undefined,
    browserName: facts.browserName ?? undefined,
    browserVersion: facts.browserVersion ?? undefined,
    osName: facts.osName ?? undefined,
    osVersion: facts.osVersion ?? undefined,
  };
}
