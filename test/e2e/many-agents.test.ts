// Many agents in one process: each answers its own mail, and what befalls one does not reach the others.
import { afterEach, expect, it } from 'vitest';
import { type FleetLab, openFleetLab } from '../support/fleet-lab.js';

const labs: FleetLab[] = [];
afterEach(async () => {
  for (const one of labs.splice(0)) await one.close();
});

async function open(agents: Parameters<typeof openFleetLab>[0]): Promise<FleetLab> {
  const fleet = await openFleetLab(agents);
  labs.push(fleet);
  return fleet;
}

it('answer each their own mail', async () => {
  const fleet = await open({ scout: {}, clerk: {} });
  const running = fleet.runAll();
  fleet.say('@alice', 'scout', 'a word for the scout');
  fleet.say('@alice', 'clerk', 'a word for the clerk');
  expect((await fleet.answerOf('scout', '@alice')).text).toContain('a word for the scout');
  expect((await fleet.answerOf('clerk', '@alice')).text).toContain('a word for the clerk');
  console.log(running.lines.join('\n'));
  running.signal('SIGTERM');
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
  console.log(running.lines.join('\n').slice(-3000));
});
