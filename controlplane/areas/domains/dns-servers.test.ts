import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { startDnsServer } from './dns-server.fixture.js';
import { findDnsServers, type LookUpHost } from './dns-servers.js';
import { createDomainVerifier } from './domain-verification.js';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'dns.example': ['192.0.2.1', '2001:db8::1'],
  'again.example': ['192.0.2.1'],
};
const lookUp: LookUpHost = async (host) => {
  const addresses = ADDRESSES[host];
  if (addresses === undefined) throw Object.assign(new Error('of the system'), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address }));
};

describe('the servers asked for records', () => {
  it('stay as they are given by address', async () => {
    const servers = ['127.0.0.1:53', '[::1]:5353'];
    expect(await findDnsServers(servers, { lookUp })).toEqual(servers);
  });

  it('are all addresses of their names, each once', async () => {
    const servers = ['198.51.100.7:53', 'dns.example:5353', 'again.example:5353'];
    expect(await findDnsServers(servers, { lookUp })).toEqual([
      '198.51.100.7:53',
      '192.0.2.1:5353',
      '[2001:db8::1]:5353',
    ]);
  });

  it('answer when they are given by name', async () => {
    const server = await startDnsServer();
    try {
      server.setTxt('example.test', ['value']);
      const dnsServers = await findDnsServers([server.address.replace('127.0.0.1', 'localhost')]);
      const verifier = createDomainVerifier({ dnsServers });
      await expect(verifier.check('example.test', 'value')).resolves.toMatchObject({ kind: 'verified' });
    } finally {
      await server.close();
    }
  });

  it('are named when they are not found, a line each', async () => {
    const refused = findDnsServers(['no.example:53', '127.0.0.1:53', 'none.example:53'], { lookUp });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      /^DNS_SERVERS names no\.example, which is not found \(ENOTFOUND\).*\nDNS_SERVERS names none\.example/,
    );
  });

  it('are not waited for longer than the bound', async () => {
    const silent: LookUpHost = () => new Promise(() => {});
    const refused = findDnsServers(['slow.example:53'], { lookUp: silent, timeoutMs: 20 });
    await expect(refused).rejects.toThrow(/^DNS_SERVERS names slow\.example, .*within 20 ms/);
  });
});
