import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { OwnerOnlyFiles } from './owner-only-files.js';

type EmscriptenOptions = Parameters<OwnerOnlyFiles['init']>[1];

/** An open file of Emscripten's NODEFS. */
interface NodeStream {
  /** File descriptor of this process. */
  readonly nfd: number;
}

interface SyncedOperations {
  fsync?: (stream: NodeStream) => number;
}

/** `-F` turns fsync off. PGlite's libc drops fdatasync, PostgreSQL's default method, without a word. */
export const SYNCED_START_PARAMS: readonly string[] = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'wal_sync_method=fsync',
];

/**
 * PGlite's file system with the one operation that it leaves out: Emscripten's NODEFS has no `fsync`, so PostgreSQL's
 * calls succeed without reaching the disk. Blocks the event loop while the disk writes.
 */
export class SyncedNodeFs extends OwnerOnlyFiles {
  /** @param sync writes out what the system holds of a file, by its descriptor */
  constructor(
    folder: string,
    private readonly sync: (descriptor: number) => void = fsyncSync,
  ) {
    super(folder);
  }

  override async init(pg: PGlite, options: EmscriptenOptions) {
    const { emscriptenOpts } = await super.init(pg, options);
    const addFsync = (module: { readonly NODEFS?: { readonly stream_ops: SyncedOperations } }): void => {
      if (module.NODEFS === undefined)
        throw new Error('this PGlite has no NODEFS: EMBEDDED_FSYNC cannot be had');
      module.NODEFS.stream_ops.fsync = ({ nfd }) => {
        this.sync(nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRunOf(emscriptenOpts), addFsync] } };
  }
}

function preRunOf({ preRun }: EmscriptenOptions) {
  if (preRun === undefined) return [];
  return Array.isArray(preRun) ? preRun : [preRun];
}
