import { createIndexColumn, TextColumn } from '../../shared/native/columns.js';
import { writeTexts } from '../../shared/native/native-block.js';
import { TextList } from '../../shared/native/text-dictionary.js';
import { cut } from '../../shared/visitor/cut.js';
import type { Device, DeviceDetection } from '../../shared/visitor/device.js';
import { type ColumnWriters, DerivedColumns } from './batch-columns.js';
import { BatchSubjects, type Subject } from './batch-subjects.js';
import type { BotDetection, BotReason } from './bot-reason.js';
import type { HitSlot } from './hit-slot.js';
import { MAX_METHOD_LENGTH } from './hit-texts.js';
import type { ParsingBudget } from './parsing-budget.js';
import { known } from './storable-text.js';

export interface AgentColumnsDeps {
  readonly detectBot: BotDetection;
  readonly detectDevice: DeviceDetection;
  /** Limits the parsing of new user agents. When absent, all are parsed. */
  readonly parsing?: ParsingBudget;
}

export type Agent = Subject<AgentFacts>;

interface AgentFacts {
  readonly reason: BotReason;
  /** Undefined until there was budget to parse the user agent. */
  device: DeviceTexts | undefined;
}

type DeviceTexts = Readonly<Record<DeviceColumn, string>>;

const DEVICE_FACTS = {
  device_type: 'type',
  device_brand: 'brand',
  device_model: 'model',
  browser_name: 'browserName',
  browser_version: 'browserVersion',
  os_name: 'osName',
  os_version: 'osVersion',
} as const satisfies Readonly<Record<string, keyof Device>>;
type DeviceColumn = keyof typeof DEVICE_FACTS;
const DEVICE_COLUMNS = Object.keys(DEVICE_FACTS) as DeviceColumn[];

/** The visitor's client: method and user agent, the device derived from it, and whether it is a bot. */
export function createAgentColumns({ detectBot, detectDevice, parsing }: AgentColumnsDeps) {
  const deviceOf = (userAgent: string): DeviceTexts | undefined => {
    const seen = detectDevice.known?.(userAgent);
    if (seen !== undefined) return deviceTexts(seen);
    const parse = () => deviceTexts(detectDevice(userAgent));
    return parsing === undefined ? parse() : parsing.spend(parse);
  };
  const texts = new TextList();
  const devices = new DerivedColumns(DEVICE_COLUMNS);
  const agents = new BatchSubjects<AgentFacts>(
    (userAgent) => ({ reason: detectBot.reasonOfAgent(userAgent), device: undefined }),
    ({ text, facts }) => {
      texts.add(text);
      // Repeated in each batch that contains the user agent.
      facts.device ??= deviceOf(text);
      devices.add(facts.device ?? UNKNOWN_DEVICE);
    },
  );
  const agentRows = createIndexColumn();
  const methods = new TextColumn();
  const reasons = new TextColumn();
  const botRows = createIndexColumn();
  let [sentMethod, method] = ['', ''];

  return {
    /** @param userAgent cut to the stored length */
    agentOf: (userAgent: string): Agent => agents.of(userAgent),
    /** Adds a row. */
    add(slot: HitSlot, agent: Agent) {
      agentRows.push(agents.numberOf(agent));
      if (slot.method !== sentMethod) {
        sentMethod = slot.method;
        method = cut(sentMethod, MAX_METHOD_LENGTH).toUpperCase();
      }
      methods.add(method);
      const reason = detectBot.reasonOfRequest(method, slot.purpose) || agent.facts.reason;
      reasons.add(reason);
      botRows.push(reason === '' ? 0 : 1);
    },
    writers: {
      user_agent: (writer) => writeTexts(writer, texts, agentRows.numbers()),
      method: methods.write,
      bot_reason: reasons.write,
      is_bot: (writer) => writer.unsigned(botRows.numbers(), 1),
      ...devices.writers(() => agentRows.numbers()),
    } satisfies ColumnWriters,
    textBytes: () => texts.byteLength + methods.dictionary.byteLength,
    clear() {
      for (const part of [texts, devices, agents, agentRows, methods, reasons, botRows]) part.clear();
    },
  };
}

const UNKNOWN_DEVICE: DeviceTexts = textsOf(() => undefined);

function deviceTexts(device: Device): DeviceTexts {
  return textsOf((column) => device[DEVICE_FACTS[column]]);
}

function textsOf(factOf: (column: DeviceColumn) => string | undefined): DeviceTexts {
  const facts = DEVICE_COLUMNS.map((column) => [column, known(factOf(column))]);
  return Object.fromEntries(facts) as DeviceTexts;
}
