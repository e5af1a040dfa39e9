/** A record of a places database, in the form that MaxMind documents for its city databases. */
export type PlaceRecord = { readonly [key: string]: PlaceValue };
type PlaceValue = string | number | readonly PlaceValue[] | PlaceRecord;

/** Its two sides, for the next bit of an address: the index of a node, minus the place of data, or nothing. */
type Node = [zero: Side, one: Side];
type Side = { readonly node: number } | { readonly data: number } | undefined;

const TYPE_OF = { string: 2, double: 3, number: 6, map: 7, array: 11 } as const;
const FIRST_EXTENDED_TYPE = 8;
const METADATA_MARKER = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');
const SEPARATOR_BYTES = 16;
const RECORD_BITS = 24;

/**
 * A database in the format of MaxMind DB 2.0 with these records.
 *
 * @param records by network, such as `192.0.2.0/24` or `2001:db8::/32` (written with `::` at the end), none
 *   inside another
 * @param ipVersion 4 takes IPv4 networks only
 */
export function placesDatabase(records: Readonly<Record<string, PlaceRecord>>, ipVersion: 4 | 6 = 6): Buffer {
  const nodes: Node[] = [[undefined, undefined]];
  let data = Buffer.alloc(0);
  for (const [network, record] of Object.entries(records)) {
    insert(nodes, bitsOf(network, ipVersion), { data: data.length });
    data = Buffer.concat([data, encode(record)]);
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'City',
    description: {},
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: RECORD_BITS,
  });
  return Buffer.concat([treeOf(nodes), Buffer.alloc(SEPARATOR_BYTES), data, METADATA_MARKER, metadata]);
}

function insert(nodes: Node[], bits: string, side: Side): void {
  let current = 0;
  for (const [index, bit] of [...bits].entries()) {
    const node = nodes[current]!;
    const which = bit === '0' ? 0 : 1;
    if (index === bits.length - 1) {
      node[which] = side;
      return;
    }
    const next = node[which] ?? { node: nodes.push([undefined, undefined]) - 1 };
    if (!('node' in next)) throw new Error('a network lies inside another');
    node[which] = next;
    current = next.node;
  }
}

function bitsOf(network: string, ipVersion: 4 | 6): string {
  const [address = '', prefix] = network.split('/');
  const isIpv4 = address.includes('.');
  const groups = isIpv4 ? address.split('.') : address.replace(/::$/, '').split(':');
  const bits = groups
    .map((group) =>
      Number.parseInt(group, isIpv4 ? 10 : 16)
        .toString(2)
        .padStart(isIpv4 ? 8 : 16, '0'),
    )
    .join('')
    .padEnd(128, '0')
    .slice(0, Number(prefix));
  return isIpv4 && ipVersion === 6 ? '0'.repeat(96) + bits : bits;
}

function treeOf(nodes: readonly Node[]): Buffer {
  const tree = Buffer.alloc((nodes.length * RECORD_BITS * 2) / 8);
  for (const [index, side] of nodes.flat().entries()) {
    tree.writeUIntBE(recordOf(side, nodes.length), (index * RECORD_BITS) / 8, RECORD_BITS / 8);
  }
  return tree;
}

function recordOf(side: Side, nodeCount: number): number {
  if (side === undefined) return nodeCount;
  return 'node' in side ? side.node : nodeCount + SEPARATOR_BYTES + side.data;
}

function encode(value: PlaceValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TYPE_OF.string, text.length), text]);
  }
  if (typeof value === 'number' && !(Number.isInteger(value) && value >= 0)) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(TYPE_OF.double, bytes.length), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(TYPE_OF.number, bytes.length), bytes]);
  }
  if (Array.isArray(value)) {
    return Buffer.concat([control(TYPE_OF.array, value.length), ...value.map(encode)]);
  }
  const entries = Object.entries(value as PlaceRecord);
  return Buffer.concat([control(TYPE_OF.map, entries.length), ...entries.flat().map(encode)]);
}

/** Encodes the byte or two before a value: type and size. The fixture needs only short sizes. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new Error('the fixture takes texts and lists of up to 28');
  if (type < FIRST_EXTENDED_TYPE) return Buffer.from([(type << 5) | size]);
  return Buffer.from([size, type - FIRST_EXTENDED_TYPE + 1]);
}
