import { formatWhole } from '../report/table.js';
import type { ServerKind } from '../servers/server-kind.js';
import { type BenchRequest, benchRequests } from '../traffic/bench-request.js';
import type { Comparison } from './comparison.js';
import { type Contender, enterContender } from './contender.js';
import type { Bench, Scenario } from './scenario.js';
import { formatServerTable } from './server-table.js';
import { type MeasuredServer, summarize } from './summarize.js';

const FULL_PACE = { rounds: 5, secondsPerRound: 4, warmUpSeconds: 3 };
const QUICK_PACE = { rounds: 3, secondsPerRound: 1, warmUpSeconds: 1 };

/**
 * Makes a scenario of it. All servers run throughout; rounds go around them, A B C A B C, so that a slow spell
 * of the machine falls on all.
 */
export function sideBySide(plan: Comparison): Scenario {
  return {
    name: plan.name,
    summary: plan.summary,
    async run(bench) {
      const servers = bench.quick ? plan.quickServers : plan.servers;
      const missing = servers.filter((kind) => kind.unavailable() !== undefined);
      const present = servers.filter((kind) => !missing.includes(kind));
      const measured = await measureInTurn(bench, plan, present);
      const { name: scenario, hostCount: hosts, connections, samplingRate } = plan;
      const load = bench.load.name;
      const results = summarize({ scenario, load, hosts, connections, samplingRate }, measured);
      const notes = [
        `${formatWhole(hosts)} hosts, ${connections} keep-alive connections, load by ${load}.`,
        ...measured.flatMap((server) => server.notes),
        ...missing.map((kind) => `${kind.name} was left out: ${kind.unavailable()}.`),
      ];
      return {
        results,
        report: `${formatServerTable(results)}\n\n${notes.map((note) => `- ${note}`).join('\n')}`,
      };
    },
  };
}

async function measureInTurn(bench: Bench, plan: Comparison, servers: readonly ServerKind[]) {
  const requests: readonly BenchRequest[] = benchRequests(plan.hostCount);
  const pace = bench.quick ? QUICK_PACE : FULL_PACE;
  const contenders: Contender[] = [];
  for (const kind of servers) contenders.push(await enterContender(bench, plan, kind, requests));
  bench.say(`${plan.name}: warming up`);
  for (const contender of contenders) await contender.warmUp(pace.warmUpSeconds);
  for (let round = 1; round <= pace.rounds; round += 1) {
    bench.say(`${plan.name}: round ${round} of ${pace.rounds}`);
    for (const contender of contenders) await contender.run(pace.secondsPerRound);
  }
  const measured: (MeasuredServer & { readonly notes: readonly string[] })[] = [];
  for (const contender of contenders) measured.push(await contender.leave());
  return measured;
}
