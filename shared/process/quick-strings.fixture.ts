import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** Whether methods of texts are compiled into what calls them, in this process. */
export function areStringsQuick(): boolean {
  setFlagsFromString('--allow-natives-syntax');
  const isCompiledIn: unknown = new Script('%HasFastProperties(String.prototype)').runInThisContext();
  setFlagsFromString('--no-allow-natives-syntax');
  return isCompiledIn === true;
}
