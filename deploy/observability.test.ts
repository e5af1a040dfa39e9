import { readdirSync } from 'node:fs';
import path from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createRequestCounts } from '../dataplane/http/request-counts.js';
import { packageRoot } from '../shared/config/package-root.js';
import { DATAPLANE_STATES } from '../shared/ruleset/dataplane-report.js';
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

/** What the processes show: our own metrics by the sources, those of every Node process by their library. */
const metrics = new Set([...ownMetrics(), ...nodeMetrics(), 'up']);

function ownMetrics(): string[] {
  const root = packageRoot();
  return ['shared', 'dataplane', 'controlplane', 'deploy']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .flatMap((name) => [...readProductFile(name).matchAll(/'(waymark_[a-z0-9_]+)'/g)])
    .map(([, name = '']) => name);
}

function nodeMetrics(): string[] {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register.getMetricsAsArray().map(({ name }) => name);
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

  it('takes once what every control plane shows of the same data planes', () => {
    const takenOnce = /\bmax by \([\w, ]+\) \(waymark_dataplane\w*\)/g;
    expect(expr.replaceAll(takenOnce, '')).not.toMatch(/\bwaymark_dataplane/);
  });

  it('asks for values of labels that there are', () => {
    const values = {
      outcome: Object.keys(createRequestCounts()),
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
