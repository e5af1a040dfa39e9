import { existsSync } from 'node:fs';
import { BlockList } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../shared/config/package-root.js';
import { ROLES, type Role, refusalOf, variablesOf } from './role-variables.fixture.js';
import { parseYaml, readProductFile, type Yaml, type YamlMap } from './yaml.fixture.js';

const source = readProductFile('deploy', 'compose.yaml');
const compose = parseYaml(source);
const example = readProductFile('deploy', '.env.example');

const map = (value: Yaml | undefined): YamlMap => value as YamlMap;
const list = (value: Yaml | undefined): readonly string[] => (value ?? []) as readonly string[];
const services = Object.entries(map(compose.services)).map(([name, service]) => ({ name, ...map(service) }));
type Service = YamlMap & { readonly name: string };

const ours = services.filter((service: Service) => service.image === 'waymark:latest') as Service[];
const roleOf = (service: Service) => list(service.command)[0] as Role;

/** Values as an operator would give them. */
const GIVEN: Readonly<Record<string, string>> = {
  BOOTSTRAP_TOKEN: `wm_${'a1'.repeat(20)}`,
  BOOTSTRAP_EMAIL: 'operator@example.com',
  PUBLIC_API_URL: 'https://api.example.com',
};
/** Expands `${NAME:?…}` and `${NAME:-default}` as compose does. */
const interpolate = (text: string, given: Readonly<Record<string, string>>) =>
  text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, value: string) =>
    kind === '?' ? 'a1b2c3d4e5f6a7b8' : (given[name] ?? value),
  );
const environmentOf = (service: Service, given: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(map(service.environment)).map(([name, value]) => [
      name,
      interpolate(String(value), given),
    ]),
  );

describe.each(services as Service[])('the service $name', (service) => {
  it('comes from a pinned image or from this tree', () => {
    if (service.build === undefined) expect(service.image).toMatch(/:v?\d+\.\d+/);
    else expect(map(service.build).dockerfile).toBe('deploy/docker/Dockerfile');
  });

  it('has a health check, bounds of processor, memory and log, and comes back after it has ended', () => {
    expect(list(map(service.healthcheck).test)[0]).toMatch(/^CMD/);
    const { limits } = map(map(service.deploy).resources);
    expect(map(limits)).toEqual({ cpus: expect.any(String), memory: expect.stringMatching(/^\d+[mg]$/) });
    expect(map(map(service.logging).options)['max-size']).toBe('10m');
    expect(service.restart).toBe('unless-stopped');
  });

  it('refers to services, networks and volumes that are there', () => {
    const networks = Array.isArray(service.networks) ? service.networks : Object.keys(map(service.networks));
    expect(Object.keys(map(compose.networks))).toEqual(expect.arrayContaining(networks));
    const needs = Object.keys(map(service.depends_on ?? {}));
    expect(services.map(({ name }) => name)).toEqual(expect.arrayContaining(needs));
    const volumes = list(service.volumes).map((volume) => volume.split(':')[0] ?? '');
    const named = volumes.filter((volume) => !volume.startsWith('.'));
    expect(Object.keys(map(compose.volumes))).toEqual(expect.arrayContaining(named));
    for (const file of volumes.filter((volume) => volume.endsWith('.cfg'))) readProductFile('deploy', file);
  });
});

describe('the services of the product', () => {
  it('are all roles, and the data plane twice', () => {
    expect(ours.map(roleOf).sort()).toEqual([...ROLES, 'dataplane'].sort());
  });

  it.each(ours)('$name gets variables that its role takes, and no others', (service) => {
    const names = Object.keys(map(service.environment));
    expect(variablesOf(roleOf(service), names).sort()).toEqual(names.sort());
  });

  it.each(ours)('$name has all that its role needs', (service) => {
    expect(refusalOf(roleOf(service), environmentOf(service, GIVEN))).toBe('');
    expect(refusalOf(roleOf(service), environmentOf(service, {}))).toBe('');
  });

  it.each(ours)('$name may write to its volumes only, with no rights it does not need', (service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('are ones that the image starts', () => {
    const starts = /^ {2}([a-z |]+)\)$/m.exec(readProductFile('deploy', 'docker', 'role.sh'))?.[1];
    expect(starts?.split(' | ').sort()).toEqual([...ROLES].sort());
  });

  it('believe the proxy at its own address', () => {
    const proxy = services.find(({ name }) => name === 'haproxy') as Service | undefined;
    const address = map(map(proxy?.networks).front).ipv4_address;
    const dataplanes = ours.filter((service) => roleOf(service) === 'dataplane');
    for (const service of dataplanes) expect(map(service.environment).TRUSTED_PROXIES).toBe(address);
    const config = readProductFile('deploy', 'docker', 'haproxy.cfg');
    const targets = [...config.matchAll(/^ {2}server \S+ (\S+):8080$/gm)].map(([, host]) => host);
    expect(targets).toEqual(dataplanes.map(({ name }) => name));
  });

  it('believe a proxy in front of the API where the operator names one', () => {
    const api = ours.find((service) => roleOf(service) === 'controlplane')!;
    const trusted = (given: Readonly<Record<string, string>>) => environmentOf(api, given).TRUSTED_PROXIES;
    expect(trusted({})).toBe('');
    expect(trusted({ API_TRUSTED_PROXIES: '172.20.0.1' })).toBe('172.20.0.1');
  });
});

it('no other service can get the address of the proxy by starting first', () => {
  const [, first = '', prefix] = /^ +ip_range: (.+)\/(\d+)$/m.exec(source) ?? [];
  const dealtOut = new BlockList();
  dealtOut.addSubnet(first, Number(prefix));
  const proxy = map(map(map(map(compose.services).haproxy).networks).front).ipv4_address;
  expect(dealtOut.check(String(proxy))).toBe(false);
});

it('Redis gets the signal that stops it, with no shell in front of it', () => {
  const [shell, , script] = list(map(map(compose.services).redis).command);
  expect(shell).toBe('sh');
  expect(script).toMatch(/^exec redis-server [^|]*$/);
});

it('the image takes files that are there', () => {
  const copies = readProductFile('deploy', 'docker', 'Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm);
  const sources = [...copies].flatMap(([, names = '']) => names.split(' '));
  expect(sources).toContain('deploy/docker/role.sh');
  expect(sources.filter((source) => !existsSync(path.join(packageRoot(), source)))).toEqual([]);
});

it('Kafka and its health check, a Java process each, leave a quarter of their memory outside the heap', () => {
  const kafka = map(map(compose.services).kafka);
  const heapMib = (text: string | undefined) => Number(/-Xmx(\d+)m/.exec(text ?? '')?.[1]);
  const broker = heapMib(String(map(kafka.environment).KAFKA_HEAP_OPTS));
  const check = heapMib(list(map(kafka.healthcheck).test)[1]);
  expect(map(map(map(kafka.deploy).resources).limits).memory).toBe('1g');
  expect(broker + check).toBeLessThanOrEqual(768);
});

describe('what the operator sets', () => {
  const asked = [...source.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
  const offered = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name);

  it('is in the example, and all that is there is used', () => {
    expect(new Set(offered)).toEqual(new Set(asked));
  });

  it('has no secret in the example', () => {
    expect(example).not.toMatch(/^\w*(KEY|PASSWORD|TOKEN)=./m);
  });
});

it('a start without profiles listens on ports 80 and 443, with HTTPS, and has no proxy in front', () => {
  const started = services.filter((service: YamlMap) => service.profiles === undefined) as Service[];
  const published = started.filter(({ ports }) => JSON.stringify(ports ?? []).match(/:-(80|443)\}/));
  expect(published.map(({ name }) => name)).toEqual(['dataplane-1']);
  const [dataplane] = published;
  expect(list(dataplane?.ports).map((port) => interpolate(port, {}))).toEqual(['80:8080', '443:8443']);
  expect(map(dataplane?.environment).TLS_PORT).toBe('8443');
  expect(started.map(({ name }) => name)).not.toContain('haproxy');
  for (const { depends_on } of started) {
    const needed = Object.keys(map(depends_on ?? {}));
    expect(started.map(({ name }) => name)).toEqual(expect.arrayContaining(needed));
  }
});
