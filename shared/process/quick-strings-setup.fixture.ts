import { keepStringsQuick } from './quick-strings.js';

// Each process of the product does this. In a process that has loaded ioredis, tests would otherwise take up to ten times as long.
keepStringsQuick();
