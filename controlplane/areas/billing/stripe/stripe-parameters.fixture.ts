/** A member of parameters: text, a list, or further members by name. */
export type Parameter = string | Parameter[] | { [name: string]: Parameter };

/** Parses `{'items[0][price]': 'p'}` into `{items: [{price: 'p'}]}`, as Stripe's API reads forms and queries. */
export function tree(flat: Readonly<Record<string, string>>): { [name: string]: Parameter } {
  const root: Node = {};
  for (const [name, value] of Object.entries(flat)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    put(root, [first, ...rest], value);
  }
  return listed(root) as { [name: string]: Parameter };
}

interface Node {
  [name: string]: Node | string;
}

function put(node: Node, path: readonly string[], value: string): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    node[name] = value;
    return;
  }
  node[name] ??= {};
  put(node[name] as Node, rest, value);
}

function listed(node: Node | string): Parameter {
  if (typeof node === 'string') return node;
  const names = Object.keys(node);
  const isList = names.length > 0 && names.every((name, index) => name === String(index));
  const members = names.map((name) => listed(node[name]!));
  return isList ? members : Object.fromEntries(names.map((name, index) => [name, members[index]!]));
}
