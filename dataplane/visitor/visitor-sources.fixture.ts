import { createClickIds } from '../../shared/visitor/click-id.js';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import type { Place } from '../../shared/visitor/place.js';
import { createVisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import type { VisitorSources } from './request-visitor.js';

/** Secret of the sources. */
export const TEST_SECRET = Buffer.from('a secret of an installation');

const NOWHERE: Place = { country: undefined, region: undefined, city: undefined };

export interface TestSources extends Partial<Omit<VisitorSources, 'places'>> {
  /** Places by address; all other addresses have none. */
  readonly places?: Readonly<Record<string, Place>>;
}

/** The sources of the product, with the places of a test and the other given values. */
export function testVisitorSources({ places = {}, ...given }: TestSources = {}): VisitorSources {
  return {
    detectDevice: createDeviceDetection(),
    identify: createVisitorIdentification(TEST_SECRET),
    clickIds: createClickIds(TEST_SECRET),
    ...given,
    places: { placeOf: (address) => places[address] ?? NOWHERE },
  };
}
