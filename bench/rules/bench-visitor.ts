import type { Visitor } from '../../shared/rules/attributes.js';

/** Visitor traits that the benchmark's rules test. */
export interface BenchVisitorTraits {
  readonly country: string;
  readonly deviceType: string;
  readonly browserName: string;
  readonly osName: string;
  readonly language: string;
  readonly urlPath: string;
  readonly campaign: string;
}

const NONE: readonly string[] = [];
const VISITOR_ID = '0123456789abcdef';

/**
 * A visitor with prepared attributes. Measurements then contain only the decision, not the reading of a request. It is
 * inside every percentage above 25.
 */
export class BenchVisitor implements Visitor {
  private readonly campaigns: readonly string[];

  constructor(private readonly traits: BenchVisitorTraits) {
    this.campaigns = [traits.campaign];
  }

  country(): string {
    return this.traits.country;
  }

  deviceType(): string {
    return this.traits.deviceType;
  }

  browserName(): string {
    return this.traits.browserName;
  }

  osName(): string {
    return this.traits.osName;
  }

  language(): string {
    return this.traits.language;
  }

  urlPath(): string {
    return this.traits.urlPath;
  }

  referrerDomains(): readonly string[] {
    return NONE;
  }

  queryValues(param: string): readonly string[] {
    return param === 'utm_campaign' ? this.campaigns : NONE;
  }

  region(): undefined {}
  city(): undefined {}
  deviceBrand(): undefined {}
  deviceModel(): undefined {}
  browserVersion(): undefined {}
  osVersion(): undefined {}
  referrer(): undefined {}
  userAgent(): undefined {}
  address(): undefined {}
  cookie(): undefined {}

  hourOfDay(): number {
    return 12;
  }

  dayOfWeek(): number {
    return 3;
  }

  nowMs(): number {
    return Date.now();
  }

  visitorId(): string {
    return VISITOR_ID;
  }

  draw(): number {
    return 0.25;
  }
}
