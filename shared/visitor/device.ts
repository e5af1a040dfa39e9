import { UAParser } from 'ua-parser-js';
import { cut } from './cut.js';
import { cachedByText } from './text-cache.js';

/** The device in a user agent, with the names of ua-parser-js 1.x. Unknown values are undefined. */
export interface Device {
  /** `mobile`, `tablet`, `desktop`, `smarttv`, `console`, `wearable` or `embedded`. */
  readonly type: string | undefined;
  readonly brand: string | undefined;
  readonly model: string | undefined;
  readonly browserName: string | undefined;
  readonly browserVersion: string | undefined;
  readonly osName: string | undefined;
  readonly osVersion: string | undefined;
}

/** Detects the device of a `User-Agent` value, which may be empty. Never throws. */
export interface DeviceDetection {
  (userAgent: string): Device;
  /** Returns the device if the user agent is cached, so it needs no parsing. */
  known?(userAgent: string): Device | undefined;
}

const MAX_CACHED_AGENTS = 5_000;
/** Maximum UTF-16 units that the parser reads. Longer user agents are cut here, so they are cached too. */
const MAX_AGENT_LENGTH = 500;

/**
 * Matches texts that make two of the parser's patterns backtrack. A crafted text takes 0.1 s or more. No real device
 * sends one.
 */
const RUNAWAY = /naver\((?![^()]*\d\.\w[^()]*\))|archos[\w ]{40}/i;

/** Value of the parser that does not name a brand. */
const NO_BRAND = 'Generic';
/** Chrome on Android sends this instead of a model since version 110. */
const NO_MODEL = 'K';

const BRANDS_BY_MODEL: readonly (readonly [model: RegExp, brand: string])[] = [
  [/^Pixel /, 'Google'],
  [/^XT\d{4}/, 'Motorola'],
];

/** Matches tokens of browsers on iOS. On an iPad that requests desktop sites, they send Macintosh too. */
const IOS_BROWSER = /\b(?:CriOS|FxiOS|EdgiOS)\//;

/** Matches phones with Java and no named system. The parser detects iOS in "MIDP; Opera". */
const JAVA_PHONE = /\bJ2ME\b/;

/** Matches processor names. The parser reports these as the version of a system that does not send one. */
const PROCESSOR = /^(?:aarch|i\d86|loong|mips|ppc|riscv|sun4)/;

const PHONE_BROWSERS: ReadonlySet<string | undefined> = new Set(['Opera Mini', 'Opera Mobi']);

const COMPUTER_SYSTEMS: ReadonlySet<string | undefined> = new Set([
  ...['Windows', 'Mac OS', 'Chromium OS', 'Linux', 'GNU', 'Solaris', 'Haiku'],
  ...['Ubuntu', 'Kubuntu', 'Xubuntu', 'Lubuntu', 'Debian', 'Fedora', 'CentOS', 'Red Hat', 'Mint', 'SUSE'],
  ...['openSUSE', 'Gentoo', 'Arch', 'Slackware', 'Mandriva', 'Mageia', 'Manjaro', 'Deepin', 'Raspbian'],
  ...['FreeBSD', 'OpenBSD', 'NetBSD', 'DragonFly'],
]);

/** Creates a detection that caches recent user agents. Visitors share few of them, and parsing one is slow. */
export function createDeviceDetection(): DeviceDetection {
  const deviceOf = cachedByText(parseDevice, MAX_CACHED_AGENTS);
  const detect = (userAgent: string) => deviceOf(cut(userAgent, MAX_AGENT_LENGTH));
  const known = (userAgent: string) => deviceOf.known(cut(userAgent, MAX_AGENT_LENGTH));
  return Object.assign(detect, { known });
}

function parseDevice(userAgent: string): Device {
  const parser = new UAParser(withoutRunaway(userAgent));
  const device = parser.getDevice();
  const browser = parser.getBrowser();
  const os = parser.getOS();
  return corrected(userAgent, {
    type: device.type,
    brand: known(device.vendor),
    model: known(device.model),
    browserName: known(browser.name),
    browserVersion: known(browser.version),
    osName: known(os.name),
    osVersion: known(os.version),
  });
}

function withoutRunaway(userAgent: string): string {
  const start = userAgent.search(RUNAWAY);
  return start === -1 ? userAgent : userAgent.slice(0, start);
}

function known(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** Corrects results of the parser that are clearly wrong. */
function corrected(userAgent: string, parsed: Device): Device {
  if (parsed.model === 'Macintosh' && IOS_BROWSER.test(userAgent)) {
    return { ...parsed, type: 'tablet', model: 'iPad', osName: 'iOS', osVersion: undefined };
  }
  const onJavaPhone = JAVA_PHONE.test(userAgent);
  const device = {
    ...parsed,
    brand: brandOf(parsed),
    model: parsed.model === NO_MODEL ? undefined : parsed.model,
    osName: onJavaPhone ? undefined : parsed.osName,
    osVersion: onJavaPhone || PROCESSOR.test(parsed.osVersion ?? '') ? undefined : parsed.osVersion,
  };
  return { ...device, type: typeOf(device) };
}

function brandOf({ brand, model = '' }: Device): string | undefined {
  if (brand !== undefined) return brand === NO_BRAND ? undefined : brand;
  return BRANDS_BY_MODEL.find(([pattern]) => pattern.test(model))?.[1];
}

/** Returns the device type. The parser has no type for a computer. */
function typeOf({ type, browserName, osName }: Device): string | undefined {
  if (type !== undefined) return type;
  if (PHONE_BROWSERS.has(browserName)) return 'mobile';
  const onComputer = osName === undefined ? browserName !== undefined : COMPUTER_SYSTEMS.has(osName);
  return onComputer ? 'desktop' : undefined;
}
