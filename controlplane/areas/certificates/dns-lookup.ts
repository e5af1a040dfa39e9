import type { CaaRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { canonicalAddress } from '../../../shared/config/acme-config.js';
import { codeOf } from '../../../shared/process/error-facts.js';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Codes of node:dns for names and records that do not exist. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND']);

/** Name servers fail, or do not answer. */
export class DnsUnavailable extends Error {
  override name = 'DnsUnavailable';
}

/** Fresh look-ups. A record that does not exist is an empty list. Every look-up throws {DnsUnavailable}. */
export interface DnsLookup {
  a(name: string): Promise<readonly string[]>;
  aaaa(name: string): Promise<readonly string[]>;
  cname(name: string): Promise<readonly string[]>;
  caa(name: string): Promise<readonly CaaRecord[]>;
}

/**
 * Resolvers of node:dns cache answers, so each check creates its own look-ups.
 *
 * @param dnsServers `IP:port`; default: those of the system
 */
export function createDnsLookup(dnsServers: readonly string[] | undefined): DnsLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);

  async function ask<T>(type: string, name: string, asked: Promise<T[]>): Promise<readonly T[]> {
    try {
      return await asked;
    } catch (cause) {
      const code = codeOf(cause) ?? '';
      if (ABSENT.has(code)) return [];
      throw new DnsUnavailable(`the ${type} records of ${name} cannot be looked up (${code})`, { cause });
    }
  }

  return {
    a: (name) => ask('A', name, resolver.resolve4(name)),
    aaaa: async (name) => (await ask('AAAA', name, resolver.resolve6(name))).map(canonicalAddress),
    cname: async (name) =>
      (await ask('CNAME', name, resolver.resolveCname(name))).map((target) => target.toLowerCase()),
    caa: (name) => ask('CAA', name, resolver.resolveCaa(name)),
  };
}
