import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';

/** Content of `package.json`. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0';
}
