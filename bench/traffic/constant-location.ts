/** Answer of servers that ignore the request. It is as long as the locations of the other servers. */
export const CONSTANT_LOCATION =
  'https://www.shop-0000.example/welcome/campaign/00/item-0000?utm_source=newsletter&utm_campaign=spring&id=0000';
