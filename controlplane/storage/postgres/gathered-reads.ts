/** Reads values by key. Combines the reads of many callers. */
export interface GatheredReads<Value> {
  /**
   * Resolves to the value at a moment after this call, never to the result of an earlier running read. Resolves to
   * `undefined` for a key without a value.
   *
   * @throws the error of `readAll`, for every key of that read
   */
  read(key: string): Promise<Value | undefined>;
}

export interface GatheredReadsOptions {
  /** Maximum concurrent reads. Further keys wait until a read ends, and then share the next one. */
  readonly maxReadsAtOnce: number;
  /** Maximum keys of one read. The remaining keys go into the next one. */
  readonly maxKeysPerRead: number;
}

interface Waiting<Value> {
  readonly value: Promise<Value | undefined>;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/** @param readAll reads the values of some keys, each of them once; those without a value are left out */
export function createGatheredReads<Value>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  { maxReadsAtOnce, maxKeysPerRead }: GatheredReadsOptions,
): GatheredReads<Value> {
  let waiting = new Map<string, Waiting<Value>>();
  let readsUnderWay = 0;
  let isDue = false;

  function takeSome(): Map<string, Waiting<Value>> {
    const entries = [...waiting];
    waiting = new Map(entries.slice(maxKeysPerRead));
    return new Map(entries.slice(0, maxKeysPerRead));
  }

  async function readSome(): Promise<void> {
    const taken = takeSome();
    try {
      const values = await readAll([...taken.keys()]);
      for (const [key, { resolve }] of taken) resolve(values.get(key));
    } catch (error) {
      for (const { reject } of taken.values()) reject(error);
    }
  }

  function begin(): void {
    isDue = false;
    while (waiting.size > 0 && readsUnderWay < maxReadsAtOnce) {
      readsUnderWay += 1;
      void readSome().finally(() => {
        readsUnderWay -= 1;
        begin();
      });
    }
  }

  return {
    read(key) {
      const other = waiting.get(key);
      if (other !== undefined) return other.value;
      const asked = newWaiting<Value>();
      waiting.set(key, asked);
      // Not before everything that came in with this request was heard.
      if (!isDue && readsUnderWay < maxReadsAtOnce) {
        isDue = true;
        setImmediate(begin);
      }
      return asked.value;
    },
  };
}

function newWaiting<Value>(): Waiting<Value> {
  let resolve: Waiting<Value>['resolve'] = () => undefined;
  let reject: Waiting<Value>['reject'] = () => undefined;
  const value = new Promise<Value | undefined>((resolveValue, rejectValue) => {
    resolve = resolveValue;
    reject = rejectValue;
  });
  return { value, resolve, reject };
}
