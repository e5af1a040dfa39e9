import { isIP } from 'node:net';
import { MAX_NAMED_CERTIFICATES } from '../ruleset/redirect-options.js';
import {
  absent,
  ConfigError,
  emailAddress,
  hostName,
  hostNameList,
  ipList,
  onOff,
  secretText,
  serverList,
  text,
  urlOf,
  type ValuesOf,
  wholeNumber,
} from './environment.js';

/** Limits of DNS (RFC 1035, section 2.3.4), which the names of keys follow. */
const LABEL = /^[A-Za-z0-9_-]{1,63}$/;
const MAX_NAME_LENGTH = 253;
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** Variables for obtaining certificates, and for the addresses that domains must point to. */
export const acmeVariables = {
  ACME_EMAIL: emailAddress(absent),
  ACME_AGREE_TERMS: onOff({ default: false }),
  ACME_DIRECTORY_URL: urlOf('https')({ default: LETS_ENCRYPT }),
  ACME_CA_FILE: text()(absent),
  ACME_EAB_KID: text(1024)(absent),
  ACME_EAB_KEY: secretText(4096)(absent),
  ACME_FALLBACK_DIRECTORY_URL: urlOf('https')(absent),
  ACME_FALLBACK_EAB_KID: text(1024)(absent),
  ACME_FALLBACK_EAB_KEY: secretText(4096)(absent),
  ACME_DNS_SERVER: serverList('192.0.2.53:53')(absent),
  ACME_DNS_ZONES: hostNameList(absent),
  ACME_DNS_TSIG_NAME: text(255)(absent),
  ACME_DNS_TSIG_KEY: secretText(1024)(absent),
  ACME_DNS_CHECK_SERVERS: serverList('192.0.2.53:53,192.0.2.54:53')(absent),
  ACME_NAMES_PER_WILDCARD: wholeNumber(0, MAX_NAMED_CERTIFICATES)({ default: 20 }),
  PUBLIC_ADDRESSES: ipList({ default: [] }),
  PUBLIC_CNAME: hostName(absent),
};

/** Configuration of a certificate authority. */
export interface AcmeAuthority {
  readonly directoryUrl: string;
  /** Variable that holds the URL. */
  readonly variable: 'ACME_DIRECTORY_URL' | 'ACME_FALLBACK_DIRECTORY_URL';
  /** Binds the ACME account to an existing account at the authority (RFC 8555, section 7.3.4). */
  readonly eab: { readonly kid: string; readonly key: string } | undefined;
}

/** Settings for obtaining certificates. */
export interface AcmeConfig {
  readonly email: string;
  /** Authorities in the order in which they are tried. */
  readonly authorities: readonly AcmeAuthority[];
  /** PEM file of root certificates that are trusted in addition to Node's. */
  readonly caFile: string | undefined;
  /** Name server for the challenges of wildcards. Absent: wildcards get no certificates. */
  readonly dns?: AcmeDnsConfig;
  /** Maximum number of names per wildcard and week that get a certificate because a TLS handshake requested them. */
  readonly namesPerWildcard: number;
}

/** Name server that accepts dynamic updates (RFC 2136). */
export interface AcmeDnsConfig {
  /** `host:port`. */
  readonly server: string;
  /** Zones that it accepts updates for. */
  readonly zones: readonly string[];
  /** The zone that domains of other zones delegate their challenges to. */
  readonly delegationZone: string;
  readonly key: { readonly name: string; readonly secret: Buffer };
  /**
   * `IP:port` of the servers that must have a record before the authority checks it. Absent: the name servers of the
   * zone.
   */
  readonly checkServers: readonly string[] | undefined;
}

/** Addresses or name that the domains of visitors must point to. */
export interface PublicTarget {
  readonly addresses: readonly string[];
  readonly cname: string | undefined;
}

type AcmeVariables = ValuesOf<typeof acmeVariables>;

/**
 * Returns the settings for certificates (undefined without ACME_EMAIL) and the target that domains must point to.
 *
 * @throws {ConfigError} naming the variable that is missing
 */
export function acmePart(values: AcmeVariables): {
  readonly acme: AcmeConfig | undefined;
  readonly publicTarget: PublicTarget;
} {
  const { PUBLIC_ADDRESSES: addresses, PUBLIC_CNAME: cname, ACME_EMAIL: email } = values;
  const publicTarget = { addresses: addresses.map(canonicalAddress), cname };
  if (email === undefined) return { acme: undefined, publicTarget };
  if (!values.ACME_AGREE_TERMS) {
    throw new ConfigError(
      'ACME_AGREE_TERMS is required with ACME_EMAIL: it takes on, which agrees to the terms of the certificate authority',
    );
  }
  const primary: AcmeAuthority = {
    directoryUrl: values.ACME_DIRECTORY_URL,
    variable: 'ACME_DIRECTORY_URL',
    eab: eabPart('ACME_EAB', values.ACME_EAB_KID, values.ACME_EAB_KEY),
  };
  const fallback = values.ACME_FALLBACK_DIRECTORY_URL;
  const eab = eabPart('ACME_FALLBACK_EAB', values.ACME_FALLBACK_EAB_KID, values.ACME_FALLBACK_EAB_KEY);
  if (fallback === undefined && eab !== undefined) {
    throw new ConfigError('ACME_FALLBACK_DIRECTORY_URL is required with ACME_FALLBACK_EAB_KID');
  }
  const authorities =
    fallback === undefined
      ? [primary]
      : [primary, { directoryUrl: fallback, variable: 'ACME_FALLBACK_DIRECTORY_URL' as const, eab }];
  const dns = dnsPart(values);
  const { ACME_CA_FILE: caFile, ACME_NAMES_PER_WILDCARD: namesPerWildcard } = values;
  return { acme: { email, authorities, caFile, namesPerWildcard, ...(dns && { dns }) }, publicTarget };
}

function eabPart(prefix: string, kid: string | undefined, key: string | undefined): AcmeAuthority['eab'] {
  if (kid === undefined && key === undefined) return undefined;
  if (kid === undefined) throw new ConfigError(`${prefix}_KID is required with ${prefix}_KEY`);
  if (key === undefined) throw new ConfigError(`${prefix}_KEY is required with ${prefix}_KID`);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(key.trim())) {
    throw new ConfigError(`${prefix}_KEY takes the base64url text that the certificate authority shows`);
  }
  return { kid, key: key.trim() };
}

function dnsPart(values: AcmeVariables): AcmeDnsConfig | undefined {
  const { ACME_DNS_SERVER: servers, ACME_DNS_ZONES: zones } = values;
  const { ACME_DNS_TSIG_NAME: name, ACME_DNS_TSIG_KEY: key } = values;
  if (servers === undefined) {
    const others = [
      'ACME_DNS_ZONES',
      'ACME_DNS_TSIG_NAME',
      'ACME_DNS_TSIG_KEY',
      'ACME_DNS_CHECK_SERVERS',
    ] as const;
    const given = others.find((variable) => values[variable] !== undefined);
    if (given !== undefined) throw new ConfigError(`ACME_DNS_SERVER is required with ${given}`);
    return undefined;
  }
  const [server, ...others] = servers;
  if (server === undefined || others.length > 0) {
    throw new ConfigError('ACME_DNS_SERVER takes one host:port, such as 192.0.2.53:53');
  }
  const missing = Object.entries({ ACME_DNS_ZONES: zones, ACME_DNS_TSIG_NAME: name, ACME_DNS_TSIG_KEY: key });
  for (const [variable, value] of missing) {
    if (value === undefined) throw new ConfigError(`${variable} is required with ACME_DNS_SERVER`);
  }
  const [delegationZone] = zones ?? [];
  if (zones === undefined || delegationZone === undefined || name === undefined || key === undefined)
    return undefined;
  const keyName = name.replace(/\.$/, '');
  if (keyName.length > MAX_NAME_LENGTH || !keyName.split('.').every((label) => LABEL.test(label))) {
    throw new ConfigError(
      'ACME_DNS_TSIG_NAME takes the name of a key, such as waymark-acme: letters, digits, - and _, at most 63 between dots',
    );
  }
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(key.trim())) {
    throw new ConfigError('ACME_DNS_TSIG_KEY takes base64, as tsig-keygen writes it');
  }
  return {
    ...{ server, zones, delegationZone, checkServers: values.ACME_DNS_CHECK_SERVERS },
    key: { name: keyName, secret: Buffer.from(key.trim(), 'base64') },
  };
}

/** Returns the address as DNS look-ups write it: IPv6 in its shortest form. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
}
