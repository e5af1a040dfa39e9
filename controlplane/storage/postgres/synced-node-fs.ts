import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

const OWNER_RIGHTS = 0o700;

interface FileAttributes {
  readonly mode?: number;
}

/** Operations on files that Emscripten's NODEFS has, and may have. */
interface NodeOperations {
  readonly node_ops: { setattr(node: unknown, attributes: FileAttributes): void };
  /** `nfd` is the file descriptor of this process. */
  readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
}

/**
 * A folder of PGlite whose files only their owner can access. Emscripten sets the mode of each new file after creation
 * and ignores the umask of the process. The C library requests 0666.
 */
export class OwnerOnlyFiles extends NodeFS {
  override async init(client: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const { emscriptenOpts } = await super.init(client, options);
    const adapt = ({ NODEFS }: { NODEFS: NodeOperations }) => this.adapt(NODEFS);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), adapt] } };
  }

  /** Changes operations before PostgreSQL starts. */
  protected adapt({ node_ops }: NodeOperations): void {
    const { setattr } = node_ops;
    node_ops.setattr = (node, attributes) => {
      const { mode } = attributes;
      setattr(node, mode === undefined ? attributes : { ...attributes, mode: withoutForeignRights(mode) });
    };
  }
}

/** @param mode type of the file and rights, as `st_mode` has them */
function withoutForeignRights(mode: number): number {
  return mode & ~(0o777 & ~OWNER_RIGHTS);
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
  /** @param sync flushes a file to disk, by its descriptor */
  constructor(
    folder: string,
    private readonly sync: (descriptor: number) => void = fsyncSync,
  ) {
    super(folder);
  }

  protected override adapt(operations: NodeOperations): void {
    super.adapt(operations);
    operations.stream_ops.fsync = ({ nfd }) => {
      this.sync(nfd);
      return 0;
    };
  }
}
