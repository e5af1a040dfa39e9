import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../shared/config/package-root.js';

const FOLDER = path.join(packageRoot(), 'deploy', 'systemd');
const read = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');
const services = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));

describe.each(services)('the unit %s', (name) => {
  const unit = read(name);

  it('starts an entry that the build makes', () => {
    const entry = /\/opt\/waymark\/current\/dist\/(\S+)\.js/.exec(unit)?.[1] ?? 'none';
    expect(existsSync(path.join(packageRoot(), `${entry}.ts`)), entry).toBe(true);
  });

  it('runs as its own user in a sandbox', () => {
    for (const setting of ['User=waymark', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'UMask=0077']) {
      expect(unit.split('\n')).toContain(setting);
    }
  });
});

it.each(['waymark.service', 'waymark-dataplane.service'])('%s leaves workers alone at a stop', (name) => {
  expect(read(name)).toMatch(/^KillMode=process$/m);
});
