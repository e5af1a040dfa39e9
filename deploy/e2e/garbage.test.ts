import { afterAll, beforeAll, expect, test } from 'vitest';
import { callBytes, type HostileCall, hostileCalls } from './hostile-calls.fixture.js';
import { exchange } from './hostile-client.fixture.js';
import { type Besieged, besiege, faultOf } from './hostile-ports.fixture.js';
import { HOSTILE_REQUESTS } from './hostile-requests.fixture.js';
import { SMUGGLING_ATTEMPTS } from './hostile-smuggling.fixture.js';
import { apiVerdict, refusedVerdict, smugglingVerdict } from './hostile-verdict.fixture.js';

/** Ours take a few milliseconds, the worst a fifth of a second. */
const MAX_CALL_MS = 3_000;
const ATTEMPTS = 5;

let besieged: Besieged;
beforeAll(async () => {
  besieged = await besiege();
});
afterAll(() => besieged?.end());

test.each(['visitors', 'api', 'admin'] as const)(
  'malformed and oversized requests are refused on the port of %s',
  async (which) => {
    const port = besieged[which];
    const faults = await Promise.all(
      HOSTILE_REQUESTS.map(async ({ name, bytes, expected }) => {
        const result = await exchange(port.port, bytes(port.aim));
        const mustRefuse = expected === 'refused' && port.isStrict;
        const verdicts = [...port.verdict(result), ...(mustRefuse ? refusedVerdict(result) : [])];
        return verdicts.map((verdict) => faultOf(port, name, result, verdict));
      }),
    );
    expect(faults.flat()).toEqual([]);
  },
);

test.each(['visitors', 'api', 'admin'] as const)(
  'a request within a request gets no answer of its own on the port of %s',
  async (which) => {
    const port = besieged[which];
    const faults = await Promise.all(
      SMUGGLING_ATTEMPTS.map(async ({ name, bytes }) => {
        const result = await exchange(port.port, bytes(port.aim));
        const verdicts = [...port.verdict(result), ...smugglingVerdict(result)];
        return verdicts.map((verdict) => faultOf(port, name, result, verdict));
      }),
    );
    expect(faults.flat()).toEqual([]);
  },
);

test('evil content in well-formed calls is refused with the status of the contract, and quickly', async () => {
  const { api, token, redirectId } = besieged;
  const attempt = async (call: HostileCall) => {
    const startedAtMs = performance.now();
    const result = await exchange(api.port, callBytes(call, token), { quietMs: 10_000 });
    const tookMs = Math.round(performance.now() - startedAtMs);
    const [answer] = result.answers;
    const isExpected = answer !== undefined && (call.status ?? answer.statusCode) === answer.statusCode;
    const verdicts = [
      ...apiVerdict(result),
      ...(isExpected ? [] : [`not ${call.status ?? 'an answer'}: ${answer?.body.slice(0, 120)}`]),
    ];
    return { tookMs, faults: verdicts.map((verdict) => faultOf(api, call.name, result, verdict)) };
  };
  /** A busy machine delays some attempts. A call that is slow itself is slow each time. */
  const quickestOf = async (call: HostileCall) => {
    const tookMs: number[] = [];
    while (tookMs.length < ATTEMPTS) {
      const { tookMs: lastMs, faults } = await attempt(call);
      if (faults.length > 0 || lastMs <= MAX_CALL_MS) return faults;
      tookMs.push(lastMs);
    }
    return [`${call.name} took ${tookMs.join(', ')} ms`];
  };
  const faults: string[] = [];
  for (const call of hostileCalls(redirectId)) faults.push(...(await quickestOf(call)));
  expect(faults).toEqual([]);
});
