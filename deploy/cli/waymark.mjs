#!/usr/bin/env node
// Runs the command line, which `npm run build` compiles.
import { existsSync } from 'node:fs';

const main = new URL('../../dist/deploy/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('Waymark is not built. Run: npm install\n');
  process.exit(1);
}
await import(main.href);
