import { expect, it } from 'vitest';
import { createDeviceDetection } from '../../shared/visitor/device.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { ADDRESSES, AGENTS } from './visitors.js';

it('the addresses are of the countries that the rules of the load go by', async () => {
  const places = await openPlaces({ geoipDb: undefined });
  const found = ADDRESSES.map(({ address }) => places.placeOf(address).country);
  expect(found).toEqual(ADDRESSES.map(({ country }) => country));
});

it.each(Object.values(AGENTS))('$browserName on $deviceType is detected as such', (agent) => {
  expect(createDeviceDetection()(agent.userAgent)).toMatchObject({
    type: agent.deviceType,
    browserName: agent.browserName,
  });
});
