// One public listener for several agents: who believes a post, who is woken, and who tells of a refused one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerError } from '../../src/domain/errors.js';
import { type Door, WebhookHub } from '../../src/wake/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { MemoryDeliveries, NOW, Notices, SECRET, signed } from './support.js';

const BODY = '{"type":"message.received"}';
const OTHER_KEY = Buffer.from('another key, of another agent');
const OTHER = `whsec_${OTHER_KEY.toString('base64')}`;

const clock = new VirtualClock(NOW);
let listener: Notices;
let hub: WebhookHub;
let woken: string[];

beforeEach(() => {
  listener = new Notices();
  hub = new WebhookHub({ port: 0, clock, observer: listener });
  woken = [];
});
afterEach(() => hub.close());

interface Agent {
  readonly door: Door;
  readonly source: ReturnType<Door['attach']>;
  readonly deliveries: MemoryDeliveries;
  readonly notices: Notices;
}

async function agent(name: string, secrets: readonly string[]): Promise<Agent> {
  const door = hub.door(name, secrets);
  const [deliveries, notices] = [new MemoryDeliveries(), new Notices()];
  const source = door.attach({ deliveries, clock, observer: notices });
  await source.start((kind) => woken.push(`${name} by ${kind}`));
  return { door, source, deliveries, notices };
}

async function post(path: string, headers: Record<string, string>): Promise<number> {
  const url = `http://127.0.0.1:${hub.address()?.port}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: BODY });
  await response.text();
  return response.status;
}

const byOther = (id: string): Record<string, string> => signed(BODY, { id, key: OTHER_KEY });

describe('POST /webhook/NAME', () => {
  it('is held against the secrets of that agent alone, and wakes it alone', async () => {
    const scout = await agent('scout', [SECRET]);
    const clerk = await agent('clerk', [OTHER]);
    await hub.open();
    expect(await post('/webhook/scout', signed(BODY))).toBe(202);
    expect(await post('/webhook/clerk', signed(BODY, { id: 'msg_2' }))).toBe(401);
    expect(await post('/webhook/clerk', byOther('msg_3'))).toBe(202);
    expect(await post('/webhook/nobody', signed(BODY, { id: 'msg_4' }))).toBe(404);
    await Promise.all([scout.source.stop(), clerk.source.stop()]);
    expect(woken).toEqual(['scout by webhook', 'clerk by webhook']);
    expect(scout.source.counts()).toMatchObject({ accepted: 1, refused: { signature: 0 } });
    expect(clerk.source.counts()).toMatchObject({ accepted: 1, refused: { signature: 1 } });
    expect(scout.notices.texts).toEqual([]);
    expect(clerk.notices.texts).toEqual([expect.stringContaining('A webhook post was refused')]);
    expect(listener.troubles).toEqual([]);
  });
});

describe('POST /webhook', () => {
  it('wakes those whose secret it was signed with, and no others', async () => {
    const agents = [
      await agent('scout', [SECRET]),
      await agent('clerk', [OTHER]),
      await agent('twin', [OTHER]),
    ];
    await hub.open();
    expect(await post('/webhook', byOther('msg_1'))).toBe(202);
    expect(await post('/webhook', signed(BODY, { id: 'msg_2' }))).toBe(202);
    await Promise.all(agents.map(({ source }) => source.stop()));
    expect(woken).toEqual(['clerk by webhook', 'twin by webhook', 'scout by webhook']);
    expect(agents.map(({ source }) => source.counts().accepted)).toEqual([1, 1, 1]);
    expect(agents.map(({ source }) => source.counts().refused.signature)).toEqual([0, 0, 0]);
  });

  it('wakes once whom two of its proofs convince', async () => {
    const { source } = await agent('scout', [SECRET]);
    await hub.open();
    expect(await post('/webhook', { ...signed(BODY), authorization: `Bearer ${SECRET}` })).toBe(202);
    await source.stop();
    expect(woken).toEqual(['scout by webhook']);
    expect(source.counts().accepted).toBe(1);
  });

  it('that nobody believes is counted by all and told of once, by the listener', async () => {
    const agents = [await agent('scout', [SECRET]), await agent('clerk', [OTHER])];
    await hub.open();
    const forged = signed(BODY, { key: Buffer.from('nobody’s key') });
    expect(await post('/webhook', forged)).toBe(401);
    expect(await post('/webhook', {})).toBe(401);
    for (const { source, notices } of agents) {
      expect(source.counts().refused).toMatchObject({ signature: 1, unsigned: 1 });
      expect(notices.texts).toEqual([]);
    }
    expect(listener.troubles).toEqual([
      'warn: A webhook post for all was refused: The signature or token does not match. Further ones are only counted.',
    ]);
  });

  it('without a signature wakes only an agent that has no secret', async () => {
    const open = await agent('open', []);
    const scout = await agent('scout', [SECRET]);
    await hub.open();
    expect(await post('/webhook', {})).toBe(202);
    await Promise.all([open.source.stop(), scout.source.stop()]);
    expect(woken).toEqual(['open by webhook']);
  });
});

describe('deliveries', () => {
  it('are remembered by each agent for itself', async () => {
    const scout = await agent('scout', [SECRET]);
    const clerk = await agent('clerk', [SECRET]);
    await hub.open();
    await post('/webhook/scout', signed(BODY));
    await post('/webhook', signed(BODY));
    await post('/webhook/clerk', signed(BODY));
    await Promise.all([scout.source.stop(), clerk.source.stop()]);
    expect(woken).toEqual(['scout by webhook', 'clerk by webhook']);
    expect([scout.source.counts().duplicates, clerk.source.counts().duplicates]).toEqual([1, 1]);
  });
});

describe('an agent', () => {
  it('that does not run yet, or no more, is called without harm, and its deliveries are not used up', async () => {
    const { source, deliveries } = await agent('scout', [SECRET]);
    await source.stop();
    await hub.open();
    expect(await post('/webhook/scout', signed(BODY))).toBe(202);
    expect([woken, deliveries.seen.size]).toEqual([[], 0]);
    await source.start((kind) => woken.push(`again by ${kind}`));
    expect(await post('/webhook/scout', signed(BODY))).toBe(202);
    await source.stop();
    expect(woken).toEqual(['again by webhook']);
  });

  it('whose door is shut is there no more, and the others are', async () => {
    const scout = await agent('scout', [SECRET]);
    const clerk = await agent('clerk', [OTHER]);
    await hub.open();
    hub.shut(scout.door);
    hub.shut(scout.door);
    expect(await post('/webhook/scout', signed(BODY))).toBe(404);
    expect(await post('/webhook', signed(BODY))).toBe(401);
    expect(await post('/webhook/clerk', byOther('msg_1'))).toBe(202);
    await clerk.source.stop();
    expect(woken).toEqual(['clerk by webhook']);
  });

  it('without a secret may not stand behind an address that others can reach', () => {
    const wide = new WebhookHub({ host: '0.0.0.0', port: 0, clock, observer: listener });
    wide.door('scout', [SECRET]);
    expect(() => wide.door('open', [])).toThrow(WorkerError);
  });
});
