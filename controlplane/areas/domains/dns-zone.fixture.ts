import {
  type Answer,
  type DecodedPacket,
  encode,
  type Question,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
} from 'dns-packet';

/** The server's answers to questions for one name. */
export type DnsBehaviour =
  | { readonly txt: readonly (string | readonly string[])[] }
  /** Addresses. Other types of records do not exist. */
  | { readonly a: readonly string[] }
  /** An alias. The answer includes the known records of the target, like that of a resolver. */
  | { readonly cname: string }
  | 'nodata'
  | 'nxdomain'
  | 'servfail'
  | 'refused'
  /** Never answers. */
  | 'silent'
  /** Answers after the name has another behaviour. This simulates slowness without a clock. */
  | 'held'
  /** Bytes that are not a DNS message. */
  | 'garbage'
  /** A valid header with a record whose lengths are wrong. */
  | 'malformed';

const RCODES = { nodata: 0, servfail: 2, nxdomain: 3, refused: 5 } as const;

/** Maximum size over UDP without EDNS (RFC 1035 section 4.2.1). */
const MAX_UDP_BYTES = 512;

/**
 * Builds the answer to a question, or `null` for none.
 *
 * @param lookUp returns the behaviour of a name
 */
export function answerTo(
  query: DecodedPacket,
  transport: 'udp' | 'tcp',
  lookUp: (name: string) => DnsBehaviour,
): Buffer | null {
  const question = query.questions?.[0];
  if (!question) return null;
  const behaviour = lookUp(question.name);
  if (behaviour === 'silent' || behaviour === 'held') return null;
  if (behaviour === 'garbage') return Buffer.from('this is no DNS message');
  if (behaviour === 'malformed') {
    const whole = respond(query, 0, [txtAnswer(question.name, ['cut off here'])]);
    return whole.subarray(0, whole.length - 4);
  }
  if (typeof behaviour === 'string') return respond(query, RCODES[behaviour], []);
  const answers =
    'a' in behaviour ? addressAnswers(question, behaviour.a) : textAnswers(question, behaviour, lookUp);
  const whole = respond(query, 0, answers);
  const isTooLong = transport === 'udp' && whole.length > MAX_UDP_BYTES;
  return isTooLong ? respond(query, TRUNCATED_RESPONSE, []) : whole;
}

function addressAnswers({ name, type }: Question, addresses: readonly string[]): readonly Answer[] {
  return type === 'A' ? addresses.map((data) => ({ type, name, ttl: 300, data })) : [];
}

function textAnswers(
  { name, type }: Question,
  behaviour: DnsBehaviour,
  lookUp: (name: string) => DnsBehaviour,
): readonly Answer[] {
  return type === 'TXT' ? answersFor(name, behaviour, lookUp) : [];
}

function answersFor(
  name: string,
  behaviour: DnsBehaviour,
  lookUp: (name: string) => DnsBehaviour,
): readonly Answer[] {
  if (typeof behaviour === 'string') return [];
  if ('a' in behaviour) return [];
  if ('txt' in behaviour) return behaviour.txt.map((strings) => txtAnswer(name, strings));
  const alias: Answer = { type: 'CNAME', name, ttl: 300, data: behaviour.cname };
  return [alias, ...answersFor(behaviour.cname, lookUp(behaviour.cname), lookUp)];
}

function txtAnswer(name: string, strings: string | readonly string[]): Answer {
  return { type: 'TXT', name, ttl: 300, data: typeof strings === 'string' ? [strings] : [...strings] };
}

function respond(query: DecodedPacket, flags: number, answers: readonly Answer[]): Buffer {
  const name = query.questions?.[0]?.name ?? '.';
  // Negative answers have a lifetime (RFC 2308), like those of real servers.
  const soa: Answer = {
    type: 'SOA',
    name: name.slice(name.lastIndexOf('.') + 1),
    ttl: 300,
    data: { mname: 'ns.invalid', rname: 'hostmaster.invalid', serial: 1, minimum: 300 },
  };
  return encode({
    type: 'response',
    id: query.id ?? 0,
    flags: RECURSION_AVAILABLE | flags,
    questions: query.questions ?? [],
    answers: [...answers],
    authorities: answers.length === 0 ? [soa] : [],
  });
}
