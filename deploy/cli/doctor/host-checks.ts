import { Resolver } from 'node:dns/promises';
import type { Redirect } from '../../client/src/index.js';
import { counted } from '../charts.js';
import { type Finding, failed, ok, warning } from './finding.js';
import { type Answer, visit } from './visit.js';

export interface Ports {
  readonly http: number | undefined;
  readonly https: number;
}

const DAY_MS = 86_400_000;
const EXPIRY_WARNING_DAYS = 14;
const DNS_TIMEOUT_MS = 3000;
const LOCAL_HTTP_PORT = 8080;

/** Checks one redirect as its visitors see it: ownership, DNS, ports, certificate. */
export async function checkHost(redirect: Redirect, ports: Ports): Promise<Finding[]> {
  const { fromDomain: host, status, isVerified, verification } = redirect;
  const findings: Finding[] = [];
  if (!isVerified) {
    const record = `Add the record ${verification.name} TXT "${verification.value}", then run: waymark redirects verify ${host}`;
    findings.push(failed(host, 'The host is not verified, so visitors get 404.', record));
  } else if (status !== 'active') {
    findings.push(
      warning(
        host,
        `The redirect is ${status}, so visitors get no redirect.`,
        `Look at it: waymark redirects show ${host}`,
      ),
    );
  }
  if (host.startsWith('*.')) return [...findings, ok(host, 'Not visited: it is a wildcard.')];
  const address = await addressOf(host);
  if (typeof address !== 'string') return [...findings, address.fault];
  findings.push(ok(host, `DNS: ${address}`), await checkHttp(redirect, address, ports));
  return [...findings, ...(await checkHttps(redirect, address, ports))];
}

const isLocal = (host: string) => host === 'localhost' || host.endsWith('.localhost');

async function addressOf(host: string): Promise<string | { fault: Finding }> {
  if (isLocal(host)) return '127.0.0.1';
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  const faults: string[] = [];
  for (const look of [() => resolver.resolve4(host), () => resolver.resolve6(host)]) {
    try {
      const [address] = await look();
      if (address !== undefined) return address;
    } catch (error) {
      faults.push((error as NodeJS.ErrnoException).code ?? String(error));
    }
  }
  const advice = 'Add an A or AAAA record with the address of your data plane, or a CNAME for its name.';
  return { fault: failed(host, `DNS has no address (${[...new Set(faults)].join(', ')}).`, advice) };
}

async function checkHttp(redirect: Redirect, address: string, ports: Ports): Promise<Finding> {
  const { fromDomain: host } = redirect;
  const port = ports.http ?? (isLocal(host) ? LOCAL_HTTP_PORT : 80);
  const answer = await visit({ address, port, host, isTls: false });
  if ('fault' in answer) {
    const advice = `Open port ${port} at ${address} for the data plane (REDIRECT_PORT, firewall, load balancer). Name another with --http-port.`;
    return failed(host, `Port ${port}: ${answer.fault}`, advice);
  }
  return answerFinding(redirect, `Port ${port}`, answer);
}

function answerFinding(
  { fromDomain: host, status }: Redirect,
  where: string,
  { code, location, server }: Answer,
): Finding {
  if (location !== undefined) return ok(host, `${where} answers ${code} to ${location}`);
  if (status !== 'active') return ok(host, `${where} answers ${code}, as the redirect is ${status}.`);
  const who = server === undefined ? '' : ` from ${server}`;
  const advice =
    'If this is not Waymark, let DNS or your proxy send the host to the data plane. If it is, the data plane lacks the redirect: see `data planes` above.';
  return failed(host, `${where} answers ${code}${who} without a destination.`, advice);
}

async function checkHttps(redirect: Redirect, address: string, ports: Ports): Promise<Finding[]> {
  const { fromDomain: host, certificate, httpsMode } = redirect;
  const state = certificate?.state;
  if (state === 'failed' || state === 'waiting_for_dns') {
    const reason =
      certificate?.lastError?.message ?? 'Let the A or AAAA record of the host point to the data plane.';
    return [failed(host, `The certificate is not there (${state}).`, reason)];
  }
  if (certificate === null || state === 'ordering') return [];
  const answer = await visit({ address, port: ports.https, host, isTls: true });
  if ('fault' in answer) {
    const advice = `Open port ${ports.https} at ${address} (TLS_PORT). Name another with --https-port.`;
    return [
      httpsMode === 'off'
        ? warning(host, `HTTPS: ${answer.fault}`, advice)
        : failed(host, `HTTPS: ${answer.fault}`, advice),
    ];
  }
  const findings = [answerFinding(redirect, `Port ${ports.https} (HTTPS)`, answer)];
  const days = answer.validTo === undefined ? undefined : (Date.parse(answer.validTo) - Date.now()) / DAY_MS;
  if (days !== undefined && days < EXPIRY_WARNING_DAYS) {
    findings.push(
      warning(
        host,
        `The certificate ends in ${counted(Math.floor(days), 'day')}.`,
        `Run: waymark redirects show ${host}`,
      ),
    );
  }
  return findings;
}
