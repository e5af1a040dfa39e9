import { beforeAll, describe, expect, it } from 'vitest';
import { FAILURE_CODES } from '../controlplane/areas/certificates/failures.js';
import { createRequestCounts } from '../dataplane/http/request-counts.js';
import { DATAPLANE_STATES } from '../shared/ruleset/dataplane-report.js';
import { startProduct, withDataDir } from './e2e/product.fixture.js';
import { parseYaml, readProductFile, type Yaml, type YamlMap } from './yaml.fixture.js';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
}

const map = (value: Yaml | undefined): YamlMap => value as YamlMap;
const list = (value: Yaml | undefined): readonly Yaml[] => value as readonly Yaml[];

const scrapes = list(parseYaml(readProductFile('deploy/prometheus/prometheus.yml')).scrape_configs).map(map);
const rules = list(parseYaml(readProductFile('deploy/prometheus/rules.yml')).groups)
  .flatMap((group) => list(map(group).rules))
  .map(map);
const dashboard: Dashboard = JSON.parse(readProductFile('deploy/grafana/dashboards/waymark.json'));

const expressions = [
  ...rules.map(({ alert, expr }) => ({ name: `the alert ${alert}`, expr: String(expr) })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: `the panel ${title}`, expr })),
  ),
];

/** Names of metrics: `up` comes from Prometheus itself, the others from the processes that it scrapes. */
const metrics = new Set(['up']);

beforeAll(() =>
  withDataDir(async (dataDir) => {
    // Metrics of Redis and Kafka appear on the processes that use them, even before a connection succeeds.
    const nobody = '127.0.0.1:1';
    const environment = { REDIS_URL: `redis://${nobody}`, KAFKA_BROKERS: nobody, LOG_LEVEL: 'fatal' };
    const product = await startProduct({ dataDir, environment });
    try {
      const addresses = [product.adminAddress, product.apiAddress];
      for (const name of (await Promise.all(addresses.map(shownAt))).flat()) metrics.add(name);
    } finally {
      await product.end('SIGTERM');
    }
  }),
);

/** Names of the metrics of a process. */
async function shownAt(address: string): Promise<string[]> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe.each(expressions)('$name', ({ expr }) => {
  it('asks for metrics that there are', () => {
    const asked = expr.match(/\b(waymark|nodejs|process)_\w+|\bup\b/g) ?? [];
    expect(asked).not.toHaveLength(0);
    for (const name of asked) {
      const known = metrics.has(name) || metrics.has(name.replace(/_(bucket|count|sum)$/, ''));
      expect(known, name).toBe(true);
    }
  });

  it('counts a value once that every control plane shows for the same data planes', () => {
    const takenOnce = /\bmax by \([\w, ]+\) \(waymark_dataplane\w*\)/g;
    expect(expr.replaceAll(takenOnce, '')).not.toMatch(/\bwaymark_dataplane/);
  });

  it('asks for values of labels that there are', () => {
    const values = {
      outcome: [...Object.keys(createRequestCounts()), 'issued', ...FAILURE_CODES],
      state: [...DATAPLANE_STATES],
      job: scrapes.map(({ job_name }) => String(job_name)),
    };
    for (const [, label = '', pattern = ''] of expr.matchAll(/\b(outcome|state|job)=~?"([^"]+)"/g)) {
      for (const value of pattern.split('|')) {
        const matches = values[label as keyof typeof values].some((one) =>
          new RegExp(`^${value}$`).test(one),
        );
        expect(matches, `${label} ${value}`).toBe(true);
      }
    }
  });
});

it('data planes have metrics of the batches that they send to Kafka', () => {
  for (const name of ['sent_batches_total', 'sent_bytes_total', 'failures_total', 'batches_in_flight']) {
    expect(metrics).toContain(`waymark_kafka_${name}`);
  }
});

describe('the alerts', () => {
  it('have names of their own, a severity, and say in a sentence what is the matter', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(map(labels).severity);
      expect(map(annotations).summary).toMatch(/\w.*[.]$/);
    }
  });

  it('are all explained in the page on production', () => {
    const page = readProductFile('deploy/production.md');
    for (const { alert } of rules) expect(page).toContain(`\`${alert}\``);
  });
});

describe('Prometheus', () => {
  it('asks services of the compose file', () => {
    const services = Object.keys(map(parseYaml(readProductFile('deploy/compose.yaml')).services));
    const targets = scrapes.flatMap(({ static_configs }) =>
      list(static_configs).flatMap((config) => list(map(config).targets).map(String)),
    );
    expect(targets.map((target) => target.split(':')[0]).sort()).toEqual(
      services.filter((name) => /^(dataplane-\d|controlplane|ingest)$/.test(name)).sort(),
    );
  });
});
