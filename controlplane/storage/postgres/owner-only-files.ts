import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

const OWNER_RIGHTS = 0o700;

interface FileAttributes {
  readonly mode?: number;
}

/** The part of Emscripten's NODEFS that sets attributes of files. */
interface NodeOperations {
  readonly node_ops: { setattr(node: unknown, attributes: FileAttributes): void };
}

/**
 * A folder of PGlite in which files are for their owner only. Emscripten sets the mode of each new file after it was
 * made, past the umask of the process; the C library asks for 0666.
 */
export class OwnerOnlyFiles extends NodeFS {
  override async init(client: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const { emscriptenOpts } = await super.init(client, options);
    const closeToOthers = ({ NODEFS: { node_ops } }: { NODEFS: NodeOperations }) => {
      const { setattr } = node_ops;
      node_ops.setattr = (node, attributes) => {
        const { mode } = attributes;
        setattr(node, mode === undefined ? attributes : { ...attributes, mode: withoutForeignRights(mode) });
      };
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), closeToOthers] },
    };
  }
}

/** @param mode type of the file and rights, as `st_mode` has them */
function withoutForeignRights(mode: number): number {
  return mode & ~(0o777 & ~OWNER_RIGHTS);
}
