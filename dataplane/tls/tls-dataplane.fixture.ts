import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import {
  asCertificatesRequest,
  CERTIFICATES_PATH,
  type CertificatesAnswer,
} from '../../shared/certificates/certificate-exchange.js';
import {
  type CertificateMaterial,
  checkCertificate,
} from '../../shared/certificates/certificate-material.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import type { SecretKeys } from '../../shared/config/secret-key.js';
import { createDataplane } from '../dataplane.js';
import { createKeptHits } from '../http/kept-hits.fixture.js';
import { createScriptedFeed } from '../sync/scripted-feed.fixture.js';
import { testVisitorSources } from '../visitor/visitor-sources.fixture.js';
import { createHttpCertificateSource } from './certificate-source.js';
import type { ReplacementUrgency } from './loaded-certificates.js';

export const SECRET_KEY = Buffer.from('the secret key of a test');
const sealing = createCertificateSealing(SECRET_KEY);

/** Returns the reference to a certificate, as redirects hold it. */
export function referenceTo(material: CertificateMaterial) {
  const checked = checkCertificate(material, undefined);
  if ('problem' in checked) throw new Error(checked.problem.message);
  const { fingerprint, notAfter } = checked.facts;
  return { fingerprint, notAfter };
}

/** Writes a certificate and its key into a folder, which is made if need be. */
export async function writePair(
  folder: string,
  material: CertificateMaterial,
  names: readonly [string, string],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, names[0]), material.certificate);
  await writeFile(path.join(folder, names[1]), material.privateKey);
}

/** The route of the control plane that gives out certificates. Closed when the test ends. */
export async function startCertificateServer(materials: readonly CertificateMaterial[] = []) {
  const sealed = new Map<string, string>();
  const add = (material: CertificateMaterial) => {
    const { fingerprint } = referenceTo(material);
    sealed.set(fingerprint, sealing.seal(fingerprint, material));
  };
  for (const material of materials) add(material);
  const asked: (readonly string[])[] = [];
  /** Names of handshakes without a certificate. */
  const reported: string[] = [];
  const challenges = { challengeThumbprints: [] as string[], challengeTokens: {} as Record<string, string> };

  async function answer(req: IncomingMessage): Promise<CertificatesAnswer | undefined> {
    const isKnown = req.headers.authorization === `Bearer ${deriveInternalToken(SECRET_KEY)}`;
    if (req.method !== 'POST' || req.url !== CERTIFICATES_PATH || !isKnown) return undefined;
    const body = Buffer.concat(await req.toArray()).toString();
    const { fingerprints, names = [] } = asCertificatesRequest(JSON.parse(body));
    asked.push(fingerprints);
    reported.push(...names);
    const certificates = fingerprints.flatMap((fingerprint) => {
      const found = sealed.get(fingerprint);
      return found === undefined ? [] : [{ fingerprint, sealed: found }];
    });
    return { certificates, ...challenges };
  }

  const server = createServer((req, res) => {
    void answer(req).then((content) => {
      res.statusCode = content === undefined ? 401 : 200;
      res.end(JSON.stringify(content ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, add, asked, reported, challenges, stop };
}

export interface TlsDataplaneOptions {
  readonly dataDir: string;
  readonly certificatesDir?: string;
  /** Where the control plane is. Default: there is none. */
  readonly controlPlaneUrl?: string;
  readonly maxNames?: number;
  readonly directoryIntervalMs?: number;
  /** Default: `SECRET_KEY` alone. */
  readonly secrets?: SecretKeys;
  /** Called when the process must be replaced. */
  readonly onOutdated?: (urgency: ReplacementUrgency) => void;
  readonly trustedProxies?: readonly string[];
  readonly publicHttpsPort?: number;
  readonly maxKeptConnections?: number;
  /** Default: 75. */
  readonly keepAliveSeconds?: number;
}

/** A data plane with HTTPS on free ports, drained when the test ends. */
export async function startTlsDataplane(options: TlsDataplaneOptions) {
  const { dataDir, certificatesDir, controlPlaneUrl, maxNames = 1_000, trustedProxies = [] } = options;
  const { secrets = { current: SECRET_KEY, previous: [] } } = options;
  const feed = createScriptedFeed();
  const recorder = createKeptHits();
  const urgencies: ReplacementUrgency[] = [];
  const dataplane = createDataplane({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      adminHost: '127.0.0.1',
      keepAliveSeconds: options.keepAliveSeconds ?? 75,
      adminPort: 0,
      dataDir,
      trustedProxies,
      tls: {
        ...{ port: 0, maxNames },
        ...(certificatesDir && { certificatesDir }),
        ...(options.directoryIntervalMs && { directoryIntervalMs: options.directoryIntervalMs }),
      },
      ...(options.publicHttpsPort && { publicHttpsPort: options.publicHttpsPort }),
      ...(options.maxKeptConnections && { maxKeptConnections: options.maxKeptConnections }),
    },
    feed,
    recorder,
    visitorSources: testVisitorSources(),
    ...(controlPlaneUrl && {
      certificates: {
        source: createHttpCertificateSource({ url: () => controlPlaneUrl, secrets }),
        sealing: createCertificateSealing(secrets.current, secrets.previous),
      },
    }),
    onCertificatesOutdated(urgency) {
      urgencies.push(urgency);
      options.onOutdated?.(urgency);
    },
    logger: pino({ level: 'silent' }),
  });
  onTestFinished(() => dataplane.drain());
  const { redirectAddress, tlsAddress, adminAddress } = await dataplane.start();
  const metric = async (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const metrics = await dataplane.metrics.getSingleMetric(name)?.get();
    const values = metrics?.values.filter((one) =>
      Object.entries(labels).every(
        ([label, value]) => (one.labels as Record<string, unknown>)[label] === value,
      ),
    );
    return values?.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN;
  };
  return {
    dataplane,
    feed,
    recorder,
    urgencies,
    metric,
    port: redirectAddress.port,
    tlsPort: tlsAddress!.port,
    adminPort: adminAddress!.port,
  };
}

/** One request over a connection of its own. */
export interface TlsVisit {
  readonly port: number;
  /** Server Name Indication. Undefined: none. */
  readonly servername: string | undefined;
  /** Default: `servername`. */
  readonly host?: string;
  readonly target?: string;
  readonly options?: ConnectionOptions;
}

/** Connects, requests once and closes. Certificates are not verified, but `authorized` says whether they would be. */
export async function visit({ port, servername, host = servername, target = '/', options }: TlsVisit) {
  const socket = connect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...named(servername),
    ...options,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
    });
    const facts = {
      authorized: socket.authorized,
      subject: socket.getPeerCertificate().subject?.CN,
      fingerprint: socket.getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase(),
      protocol: socket.getProtocol(),
      cipher: socket.getCipher().name,
      reused: socket.isSessionReused(),
    };
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    return { ...facts, ...(await answerOf(socket)) };
  } finally {
    socket.destroy();
  }
}

function named(servername: string | undefined): ConnectionOptions {
  return servername === undefined ? {} : { servername };
}

async function answerOf(socket: TLSSocket) {
  const head = await new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\r\n\r\n')) resolve(text);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection ended after: ${text}`)));
  });
  const [statusLine = '', ...lines] = head.slice(0, head.indexOf('\r\n\r\n')).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines)
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 2);
  return { statusCode: Number(statusLine.split(' ')[1]), headers };
}
