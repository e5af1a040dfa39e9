import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Whether methods of texts are compiled into what calls them, in this process. Once they are it is so for good, so that a
 * test of how they become so has a file, and with it a process, to itself.
 */
export function areStringsQuick(): boolean {
  setFlagsFromString('--allow-natives-syntax');
  const isCompiledIn: unknown = new Script('%HasFastProperties(String.prototype)').runInThisContext();
  setFlagsFromString('--no-allow-natives-syntax');
  return isCompiledIn === true;
}
