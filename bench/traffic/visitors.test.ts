import { expect, it } from 'vitest';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { AGENTS, addressOf, countryOf, NETWORKS } from './visitors.js';

it.each([0, 1, 0xff, 0x100, 0x7f01, 0xffff])(
  'the address of visitor %i is in the country that the rules of the load go by',
  async (visitor) => {
    const places = await openPlaces({ geoipDb: undefined });
    const found = NETWORKS.map((_, place) => places.placeOf(addressOf(place, visitor)).country);
    expect(found).toEqual(NETWORKS.map((_, place) => countryOf(place)));
  },
);

it.each(Object.values(AGENTS))('$browserName on $deviceType is detected as such', (agent) => {
  expect(createDeviceDetection()(agent.userAgent)).toMatchObject({
    type: agent.deviceType,
    browserName: agent.browserName,
  });
});
