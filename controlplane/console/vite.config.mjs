import path from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

/**
 * Builds the console into dist/controlplane/console. Addresses of files are relative to the file that names them, so that
 * one build serves every base path. The server fills in the placeholders of index.html.
 */
export default defineConfig({
  root,
  base: './',
  logLevel: 'warn',
  publicDir: false,
  resolve: { alias: { '@waymark/client': path.resolve(root, '../../deploy/client/src/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  experimental: {
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'html' ? `__BASE_PATH__/console/${name}` : { relative: true },
  },
  build: {
    outDir: path.resolve(root, '../../dist/controlplane/console'),
    emptyOutDir: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    // Inline data would need exceptions in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
