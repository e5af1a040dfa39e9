import { pascalCase } from './names.js';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly [member: string]: unknown;
}

interface Use {
  readonly parameter: Parameter;
  /** The first operation that has this parameter. */
  readonly operationId: string;
  count: number;
}

/** Collects the parameters of a document, and replaces repeated parameters by references. */
export interface ParameterNames {
  add(parameter: Parameter, operationId: string): void;
  /** Returns the parameter or a reference. Every parameter must have been added before. */
  referTo(this: void, parameter: Parameter): Parameter;
  components(): Readonly<Record<string, Parameter>>;
}

/**
 * Names a component after its parameter. If parameters of one name differ, the most frequent one gets that name. The
 * names of the others also contain the first operation that has them.
 */
export function createParameterNames(): ParameterNames {
  const uses = new Map<string, Use>();
  let names: ReadonlyMap<string, string> | undefined;

  /** Returns the names of all components by the keys of their parameters. */
  function chooseNames(): ReadonlyMap<string, string> {
    const repeated = [...uses].filter(([, { count }]) => count > 1);
    repeated.sort(([, one], [, other]) => other.count - one.count);
    const taken = new Set<string>();
    return new Map(
      repeated.map(([key, { parameter, operationId }]) => {
        const short = pascalCase(parameter.name);
        const name = taken.has(short) ? `${short}Of${pascalCase(operationId)}` : short;
        taken.add(name);
        return [key, name];
      }),
    );
  }

  return {
    add(parameter, operationId) {
      const key = JSON.stringify(parameter);
      const use = uses.get(key) ?? { parameter, operationId, count: 0 };
      use.count += 1;
      uses.set(key, use);
    },
    referTo(parameter) {
      names ??= chooseNames();
      const name = names.get(JSON.stringify(parameter));
      return name === undefined
        ? parameter
        : ({ $ref: `#/components/parameters/${name}` } as unknown as Parameter);
    },
    components() {
      const named = [...uses].flatMap(([key, { parameter }]): [string, Parameter][] => {
        const name = names?.get(key);
        return name === undefined ? [] : [[name, parameter]];
      });
      return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
    },
  };
}
