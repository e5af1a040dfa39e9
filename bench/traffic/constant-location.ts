/** What servers answer that look at nothing; of the length of the other servers' locations. */
export const CONSTANT_LOCATION =
  'https://www.shop-0000.example/welcome/campaign/00/item-0000?utm_source=newsletter&utm_campaign=spring&id=0000';
