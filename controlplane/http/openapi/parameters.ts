import { pascalCase } from './names.js';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly [member: string]: unknown;
}

/** Collects the parameters of a document, and replaces those that are repeated by references. */
export interface ParameterNames {
  add(parameter: Parameter, operationId: string): void;
  /** Returns the parameter or a reference. Every parameter must have been added before. */
  referTo(this: void, parameter: Parameter): Parameter;
  components(): Readonly<Record<string, Parameter>>;
}

/** A component is named by its parameter; if that name is taken, also by the first operation that has it. */
export function createParameterNames(): ParameterNames {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  const components = new Map<string, Parameter>();

  return {
    add(parameter, operationId) {
      const key = JSON.stringify(parameter);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (counts.get(key) !== 2) return;
      const short = pascalCase(parameter.name);
      const name = components.has(short) ? `${short}Of${pascalCase(operationId)}` : short;
      names.set(key, name);
      components.set(name, parameter);
    },
    referTo(parameter) {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined
        ? parameter
        : ({ $ref: `#/components/parameters/${name}` } as unknown as Parameter);
    },
    components: () => Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
