import { describe, expect, it } from 'vitest';
import { parseControlplaneConfig } from './config.js';

const on = { ACME_EMAIL: 'operator@waymark.example', ACME_AGREE_TERMS: 'on' };
const message = (environment: Record<string, string>) => {
  try {
    parseControlplaneConfig(environment);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('the configuration of ACME', () => {
  it('is off by default, and on with an e-mail address and the terms', () => {
    expect(parseControlplaneConfig({}).acme).toBeUndefined();
    expect(parseControlplaneConfig(on).acme).toEqual({
      email: 'operator@waymark.example',
      namesPerWildcard: 20,
      caFile: undefined,
      authorities: [
        {
          directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
          variable: 'ACME_DIRECTORY_URL',
          eab: undefined,
        },
      ],
    });
  });

  it('may have a second authority, each with a binding of its account', () => {
    const { acme } = parseControlplaneConfig({
      ...on,
      ...{
        ACME_EAB_KID: 'one',
        ACME_EAB_KEY: 'a-b_c',
        ACME_FALLBACK_DIRECTORY_URL: 'https://ca.example/dir',
      },
      ...{ ACME_FALLBACK_EAB_KID: 'two', ACME_FALLBACK_EAB_KEY: 'YWI=' },
    });
    expect(acme?.authorities.map(({ eab }) => eab)).toEqual([
      { kid: 'one', key: 'a-b_c' },
      { kid: 'two', key: 'YWI=' },
    ]);
  });

  it.each([
    [
      { ACME_EMAIL: 'operator@waymark.example' },
      /^ACME_AGREE_TERMS is required with ACME_EMAIL: it takes on/,
    ],
    [{ ACME_EMAIL: 'nobody' }, /^ACME_EMAIL takes an e-mail address/],
    [
      { ...on, ACME_DIRECTORY_URL: 'http://ca.example/dir' },
      /^ACME_DIRECTORY_URL takes a URL that begins with https/,
    ],
    [{ ACME_NAMES_PER_WILDCARD: '501' }, /^ACME_NAMES_PER_WILDCARD takes a whole number from 0 to 500/],
    [{ ...on, ACME_EAB_KID: 'one' }, /^ACME_EAB_KEY is required/],
    [{ ...on, ACME_EAB_KEY: 'one' }, /^ACME_EAB_KID is required/],
    [
      { ...on, ACME_FALLBACK_EAB_KID: 'one', ACME_FALLBACK_EAB_KEY: 'YWI=' },
      /^ACME_FALLBACK_DIRECTORY_URL is required with ACME_FALLBACK_EAB_KID$/,
    ],
    [
      { ...on, ACME_DNS_CHECK_SERVERS: '192.0.2.53:53' },
      /^ACME_DNS_SERVER is required with ACME_DNS_CHECK_SERVERS$/,
    ],
    [{ ...on, ACME_EAB_KID: 'one', ACME_EAB_KEY: 'not base64!' }, /^ACME_EAB_KEY takes the base64url text/],
    [
      { PUBLIC_ADDRESSES: '192.0.2.1,example.com' },
      /^PUBLIC_ADDRESSES takes a comma-separated list of IP addresses/,
    ],
    [{ PUBLIC_CNAME: 'https://example.com' }, /^PUBLIC_CNAME takes the name of a host/],
  ])('%j is refused with the name of the variable', (environment, expected) => {
    expect(message(environment as Record<string, string>)).toMatch(expected);
  });

  it('writes addresses as DNS does', () => {
    const { publicTarget } = parseControlplaneConfig({
      ...{ PUBLIC_ADDRESSES: '192.0.2.1, 2001:DB8:0::1', PUBLIC_CNAME: 'Redirects.Example.com.' },
    });
    expect(publicTarget).toEqual({ addresses: ['192.0.2.1', '2001:db8::1'], cname: 'redirects.example.com' });
  });

  const dns = {
    ...{ ACME_DNS_SERVER: '192.0.2.53:53', ACME_DNS_ZONES: 'acme.example.net,Example.com.' },
    ...{ ACME_DNS_TSIG_NAME: 'waymark-acme.', ACME_DNS_TSIG_KEY: 'c2VjcmV0' },
  };

  it('may name a zone for the challenges of wildcards', () => {
    expect(parseControlplaneConfig({ ...on, ...dns }).acme?.dns).toEqual({
      ...{ server: '192.0.2.53:53', zones: ['acme.example.net', 'example.com'], checkServers: undefined },
      ...{ delegationZone: 'acme.example.net', key: { name: 'waymark-acme', secret: Buffer.from('secret') } },
    });
  });

  it.each([
    ['ACME_DNS_ZONES', undefined, /^ACME_DNS_ZONES is required with ACME_DNS_SERVER$/],
    ['ACME_DNS_TSIG_NAME', undefined, /^ACME_DNS_TSIG_NAME is required/],
    ['ACME_DNS_TSIG_KEY', undefined, /^ACME_DNS_TSIG_KEY is required/],
    ['ACME_DNS_TSIG_KEY', 'no base64', /^ACME_DNS_TSIG_KEY takes base64/],
    ['ACME_DNS_TSIG_NAME', 'a key', /^ACME_DNS_TSIG_NAME takes the name/],
    ['ACME_DNS_TSIG_NAME', 'waymark..acme', /^ACME_DNS_TSIG_NAME takes the name/],
    ['ACME_DNS_TSIG_NAME', '.', /^ACME_DNS_TSIG_NAME takes the name/],
    ['ACME_DNS_TSIG_NAME', 'k'.repeat(64), /^ACME_DNS_TSIG_NAME takes the name/],
    ['ACME_DNS_SERVER', undefined, /^ACME_DNS_SERVER is required with ACME_DNS_ZONES$/],
    ['ACME_DNS_SERVER', '192.0.2.53:53,192.0.2.54:53', /^ACME_DNS_SERVER takes one host:port/],
    ['ACME_DNS_ZONES', 'http://example.com', /ACME_DNS_ZONES takes a comma-separated list of names/],
  ])('stops the start when %s is %s', (variable, value, expected) => {
    const environment = Object.entries({ ...on, ...dns, [variable]: value }).filter(
      ([, text]) => text !== undefined,
    );
    expect(message(Object.fromEntries(environment) as Record<string, string>)).toMatch(expected);
  });
});
