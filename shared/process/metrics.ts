import { Counter, Gauge, type Registry } from 'prom-client';

/** Registers a counter whose total is read when metrics are requested. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Registers a counter with one label. `read` returns the totals by value of the label. */
export function addLabelledCounter(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, total] of Object.entries(read())) this.inc({ [label]: value }, total);
    },
  });
}

/** Registers a gauge whose value is read when metrics are requested. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
