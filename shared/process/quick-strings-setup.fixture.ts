import { keepStringsQuick } from './quick-strings.js';

// Each process of the product does this. Without it, tests are slow in a process that has loaded ioredis.
keepStringsQuick();
